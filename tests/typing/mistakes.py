"""Mistakes that a type checker finds: each line marked ``# error`` has one (see `test_typing`)."""
import transgrad as tg


def loss(w: float, n: int = 2) -> float:
    return w ** n


tg.grad(loss)("a")  # error
tg.grad(loss)(1.0, m=2)  # error
tg.grad(loss, backend="cuda")  # error
tg.grad(loss, nan="stop")  # error
tg.grad(3)  # error
tg.compile(loss)(1.0).upper()  # error
tg.value_and_grad(loss)(1.0).shape  # error
tg.grad(loss).sources  # error
tg.primitive(loss, vjp=3)  # error
tg.primitive(loss, result=float)("a")  # error
