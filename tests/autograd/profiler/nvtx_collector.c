/* A tool as NVTX loads it (NVTX_INJECTION64_PATH): prints the ranges that it is told of. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CALLBACKS = 1, MODULE_CORE2 = 5, RANGE_PUSH = 4, RANGE_POP = 5, REGISTER_STRING = 10, DOMAIN_CREATE = 12 };

typedef struct {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const char *message;
} Event;

typedef struct {
    size_t size;
    int (*module_functions)(int module, void ****functions, unsigned *count);
} Callbacks;

static void *copied(const char *text) { return strdup(text); }
static void *registered(void *domain, const char *text) { (void)domain; return strdup(text); }
static int pushed(void *domain, const Event *event) { printf("push %s: %s\n", (const char *)domain, event->message); return 0; }
static int popped(void *domain) { printf("pop %s\n", (const char *)domain); return 0; }

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t)) {
    const Callbacks *callbacks = export_table(CALLBACKS);
    void ***functions;
    unsigned count;
    if (!callbacks->module_functions(MODULE_CORE2, &functions, &count)) return 0;
    *functions[RANGE_PUSH] = (void *)pushed;
    *functions[RANGE_POP] = (void *)popped;
    *functions[REGISTER_STRING] = (void *)registered;
    *functions[DOMAIN_CREATE] = (void *)copied;
    return 1;
}
