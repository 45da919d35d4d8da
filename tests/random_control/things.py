"""What the random programs of `state` call: functions and methods that write to what they are given."""

class Pair:
    def __init__(self, v, w):
        self.v = v
        self.w = w

    def bump(self, e):
        self.v = self.v * 0.8 + e
        return self.v

    @property
    def both(self):
        return self.v + self.w[0]


def filled(a, e):
    a[1] = e
    return a


def scaled(a, e):
    t = 0.0
    for i in range(len(a)):
        a[i] = a[i] * 0.9 + e * 0.1
        t = t + a[i]
    return t * 0.3


def pushed(l, e):
    l.append(e)
    return l[0] * 0.5


def swapped(l):
    l[0], l[-1] = l[-1], l[0]
    return l


def moved(d, e):
    d["n"] = d["k"]
    d["k"] = e
    return d["n"]


def twice(a, e):
    return scaled(a, e) + filled(a, 0.5 * e)[0]


def held(p, a):
    p.w = a
    return p


def either(a, b, e):
    if e > 0.3:
        return a
    return b


def chosen(l, e):
    for i, v in enumerate(l):
        if v > e:
            l[i] = e
            return v
    return 0.4 * e
