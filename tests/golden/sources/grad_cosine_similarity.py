# Written by python -m tests.golden
# ruff: noqa
def grad_cosine_similarity(a, b):
    """Gradient of cosine_similarity with respect to a, b."""
    s = np.linalg.norm(a)
    t = np.linalg.norm(b)
    q = s * t

    # return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
    r = 1.0 / q
    w = r * (a @ b / q)
    b_bar = -(s * w / (t + (t == 0))) * b
    a_bar = -(w * t / (s + (s == 0))) * a
    a_bar += r * b
    b_bar += a * r
    return a_bar, b_bar
