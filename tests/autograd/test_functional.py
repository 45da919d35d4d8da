"""`autograd.functional`: values, shapes, graphs and errors."""
import numpy as np
import pytest

PRODUCTS = ("vjp", "jvp", "vhp", "hvp")
ALL = ("jacobian", "hessian", *PRODUCTS)


def close(a, b):
    if isinstance(b, tuple):
        assert isinstance(a, (tuple, list)) and len(a) == len(b)
        for x, y in zip(a, b):
            close(x, y)
    else:
        np.testing.assert_allclose(a.detach().numpy(), b, rtol=1e-6)
        assert tuple(a.shape) == np.shape(b)


def arrays(torch, *values, requires_grad=False):
    return tuple(torch.tensor(v, dtype=torch.float64, requires_grad=requires_grad) for v in values)


def weighted(x, y):
    return (x * y).exp(), (x.pow(2)).sum()


X, Y = np.array([0.5, -0.3, 0.2]), np.array([1.5, 0.4, -2.0])
E = np.exp(X * Y)
JACOBIAN = ((np.diag(Y * E), np.diag(X * E)), (2 * X, np.zeros(3)))


@pytest.mark.parametrize("options", [{}, {"create_graph": True}, {"vectorize": True}, {"vectorize": True, "create_graph": True},
                                     {"vectorize": True, "strategy": "forward-mode"}])
def test_jacobian(torch, options):
    F = torch.autograd.functional
    x, y = arrays(torch, X, Y)
    close(F.jacobian(weighted, (x, y), **options), JACOBIAN)
    close(F.jacobian(lambda a: a.exp().sum(dim=1), *arrays(torch, [[0.0, 1.0], [2.0, 3.0]]), **options),
          [[[1.0, np.e], [0, 0]], [[0, 0], [np.exp(2), np.exp(3)]]])
    close(F.jacobian(lambda a: (a, a * a), x, **options), (np.eye(3), np.diag(2 * X)))
    close(F.jacobian(lambda a, b: a * b, (x, y), **options), (np.diag(Y), np.diag(X)))
    close(F.jacobian(lambda a: a.sum() * 2, x, **options), np.full(3, 2.0))
    close(F.jacobian(lambda a: a * x, *arrays(torch, 3.0), **options), X)


@pytest.mark.parametrize("options", [{}, {"create_graph": True}, {"vectorize": True}, {"vectorize": True, "outer_jacobian_strategy": "forward-mode"}])
def test_hessian(torch, options):
    F = torch.autograd.functional
    x, y = arrays(torch, X, Y)
    close(F.hessian(lambda a: a.pow(3).sum(), x, **options), np.diag(6 * X))
    close(F.hessian(lambda a, b: (2 * a.pow(2) + 3 * b.pow(2) * a).sum(), (x, y), **options),
          ((4 * np.eye(3), np.diag(6 * Y)), (np.diag(6 * Y), np.diag(6 * X))))
    close(F.hessian(lambda a: a.pow(3).sum().reshape(1, 1), (x,), **options), ((np.diag(6 * X),),))
    close(F.hessian(lambda a: (a * a.t()).sum(), *arrays(torch, np.ones((2, 2))), **options),
          2 * np.eye(4).reshape(2, 2, 2, 2).transpose(0, 1, 3, 2))


def test_products_with_the_jacobian(torch):
    F = torch.autograd.functional
    x, y = arrays(torch, X, Y)
    v = arrays(torch, [1.0, 2.0, 3.0], 0.5)
    close(F.vjp(weighted, (x, y), v), ((E, (X ** 2).sum()), ([1, 2, 3] * Y * E + X, [1, 2, 3] * X * E)))
    close(F.jvp(weighted, (x, y), (y, x)), ((E, (X ** 2).sum()), ((Y * Y + X * X) * E, (2 * X * Y).sum())))
    close(F.vjp(lambda a: a.sum(), x), (X.sum(), np.ones(3)))
    close(F.jvp(lambda a: a * x, *arrays(torch, 2.0)), (2 * X, X))
    close(F.jvp(lambda a: a.exp(), x, y), (np.exp(X), Y * np.exp(X)))


@pytest.mark.parametrize("name", ["vhp", "hvp"])
def test_products_with_the_hessian(torch, name):
    product = getattr(torch.autograd.functional, name)
    x, y = arrays(torch, X, Y)
    close(product(lambda a: a.pow(3).sum(), x, y), ((X ** 3).sum(), 6 * X * Y))
    close(product(lambda a, b: (a.pow(2) * b).sum(), (x, y), (y, x)), ((X ** 2 * Y).sum(), (2 * Y * Y + 2 * X * X, 2 * X * Y)))
    close(product(lambda a: a.pow(3), *arrays(torch, 2.0)), (8.0, 12.0))


def test_zeros_where_nothing_depends(torch):
    F = torch.autograd.functional
    x, y = arrays(torch, X, Y)
    close(F.jacobian(lambda a, b: a * 2, (x, y)), (2 * np.eye(3), np.zeros((3, 3))))
    close(F.jacobian(lambda a: torch.ones(2, dtype=torch.float64), x), np.zeros((2, 3)))
    close(F.vjp(lambda a, b: a.sum(), (x, y)), (X.sum(), (np.ones(3), np.zeros(3))))
    close(F.jvp(lambda a: torch.ones(2, dtype=torch.float64), x, x), (np.ones(2), np.zeros(2)))
    close(F.hessian(lambda a: (2 * a).sum(), x), np.zeros((3, 3)))
    close(F.vhp(lambda a: a.sum(), x, x), (X.sum(), np.zeros(3)))
    close(F.hvp(lambda a: a.sum(), x, x), (X.sum(), np.zeros(3)))


@pytest.mark.parametrize("name", PRODUCTS)
def test_graph_of_products(torch, name):
    product = getattr(torch.autograd.functional, name)
    x, v = arrays(torch, X, Y, requires_grad=True)
    f = (lambda a: a.pow(3)) if name in ("vjp", "jvp") else (lambda a: a.pow(3).sum())
    output, result = product(f, x, v)
    assert not output.requires_grad and not result.requires_grad
    output, result = product(f, x, v, create_graph=True)
    assert output.requires_grad and result.grad_fn is not None
    gx, gv = torch.autograd.grad(result.sum(), (x, v))
    close(gx, 6 * X * Y if name in ("vjp", "jvp") else 6 * Y)
    close(gv, 3 * X ** 2 if name in ("vjp", "jvp") else 6 * X)


@pytest.mark.parametrize("vectorize", [False, True])
def test_graph_of_jacobians(torch, vectorize):
    F = torch.autograd.functional
    x, = arrays(torch, X, requires_grad=True)
    assert not F.jacobian(lambda a: a.pow(2), x, vectorize=vectorize).requires_grad
    jacobian = F.jacobian(lambda a: a.pow(3), x, create_graph=True, vectorize=vectorize)
    close(torch.autograd.grad(jacobian.sum(), x)[0], 6 * X)
    hessian = F.hessian(lambda a: a.pow(3).sum(), x, create_graph=True, vectorize=vectorize)
    close(torch.autograd.grad(hessian.sum(), x)[0], np.full(3, 6.0))
    assert x.grad is None


def test_inputs_are_not_touched(torch):
    F = torch.autograd.functional
    x, = arrays(torch, X)
    F.jacobian(lambda a: a * 2, x)
    assert not x.requires_grad and x.grad is None
    seen = []
    F.vjp(lambda a: seen.append(a) or a.sum(), x)
    assert seen[0] is not x and seen[0].requires_grad and seen[0].is_leaf


def test_under_no_grad(torch):
    F = torch.autograd.functional
    x, = arrays(torch, X, requires_grad=True)
    with torch.no_grad():
        close(F.jacobian(lambda a: a.pow(2), x), np.diag(2 * X))
        close(F.vjp(lambda a: a.pow(2).sum(), x)[1], 2 * X)
        close(F.hvp(lambda a: a.pow(3).sum(), x, x)[1], 6 * X * X)
        assert F.vjp(lambda a: a.pow(2).sum(), x, create_graph=True)[1].requires_grad


def test_complex_and_other_dtypes(torch):
    F = torch.autograd.functional
    z = torch.tensor([1 + 2j, 0.5 - 1j], dtype=torch.complex128)
    close(F.jacobian(lambda a: a * a, z, vectorize=True).resolve_conj(), np.diag(np.conj(2 * z.numpy())))
    close(F.jacobian(lambda a: a.abs().pow(2), z), np.diag(2 * z.numpy()))
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for real scalar outputs"):
        F.jacobian(lambda a: a * a, z)
    assert F.jacobian(lambda a: a.exp(), torch.zeros(2, dtype=torch.float32)).dtype == torch.float32
    assert F.jacobian(lambda a: a.exp().double(), torch.zeros(2, dtype=torch.float32)).dtype == torch.float32


@pytest.mark.parametrize("name", ALL)
def test_errors_of_types(torch, name):
    function = getattr(torch.autograd.functional, name)
    x, = arrays(torch, X)
    for inputs, words in [([x], f"The inputs given to {name} must be either a Tensor or a tuple of Tensors but the given inputs has type <class 'list'>"),
                          ((x, 1.0), "value at index 1 has type <class 'float'>"), (1, "given inputs has type <class 'int'>")]:
        with pytest.raises(TypeError) as caught:
            function(lambda *a: a[0].sum(), inputs)
        assert words in str(caught.value)
    v = () if name in ("jacobian", "hessian") else (x,)
    for f, words in [(lambda a: 1.0, "type <class 'float'>"), (lambda a: [a.sum()], "type <class 'list'>"), (lambda a: (a.sum(), None), "index 1")]:
        with pytest.raises(TypeError) as caught:
            function(f, x, *v)
        assert f"The outputs of the user-provided function given to {name}" in str(caught.value) and words in str(caught.value)


@pytest.mark.parametrize("name", PRODUCTS)
def test_errors_of_vectors(torch, name):
    product = getattr(torch.autograd.functional, name)
    x, y, short = arrays(torch, X, Y, [1.0, 2.0])
    f = (lambda *a: a[0] * 1) if name in ("vjp", "jvp") else (lambda *a: a[0].sum())
    pair = (lambda a: (a * 1, a * 2)) if name == "vjp" else f
    two = x if name == "vjp" else (x, y)
    for arguments, words in [((f, x), "The vector v can only be None if the"), ((f, x, short), "v has invalid size: should be"),
                             ((f, x, (x, y)), "The given v should contain a single Tensor."),
                             ((pair, two, (x,)), "v is a tuple of invalid length: should be 2 but got 1."),
                             ((pair, two, (x, short)), "Entry 1 in v has invalid size")]:
        with pytest.raises(RuntimeError) as caught:
            product(*arguments)
        assert words in str(caught.value)
    with pytest.raises(TypeError, match=f"The v given to {name} must be either a Tensor or a tuple"):
        product(f, x, [x])


@pytest.mark.parametrize("name", ["hessian", "vhp", "hvp"])
def test_errors_of_functions_that_are_no_scalars(torch, name):
    function = getattr(torch.autograd.functional, name)
    x, = arrays(torch, X)
    v = () if name == "hessian" else (x,)
    with pytest.raises(RuntimeError, match=f"The function given to {name} should return a single Tensor"):
        function(lambda a: (a.sum(), a.sum()), x, *v)
    with pytest.raises(RuntimeError, match=f"The Tensor returned by the function given to {name} should contain a single element"):
        function(lambda a: a * 2, x, *v)


def test_strict(torch):
    F = torch.autograd.functional
    x, y = arrays(torch, X, Y)
    constant, linear = (lambda a: torch.ones(3, dtype=torch.float64)), (lambda a: 2 * a)
    first, total = (lambda a, b: a * 2), (lambda a: (2 * a).sum())
    cases = [
        (lambda: F.jacobian(constant, x, strict=True), "Output 0 of the user-provided function does not require gradients"),
        (lambda: F.jacobian(first, (x, y), strict=True), "Output 0 of the user-provided function is independent of input 1"),
        (lambda: F.jacobian(linear, x, strict=True, create_graph=True), "is independent of input 0. This is not allowed in strict mode when create_graph=True"),
        (lambda: F.jacobian(linear, x, strict=True, vectorize=True), "are not supported together"),
        (lambda: F.jacobian(linear, x, strict=True, vectorize=True, strategy="forward-mode"), "are not supported together"),
        (lambda: F.hessian(total, x, strict=True), "the jacobian of the user-provided function with respect to input 0 is independent"),
        (lambda: F.hessian(lambda a: constant(a).sum(), x, strict=True), "Output 0 of the user-provided function does not require"),
        (lambda: F.vjp(constant, x, x, strict=True), "Output 0 of the user-provided function does not require gradients"),
        (lambda: F.vjp(first, (x, y), x, strict=True), "independent of input 1"),
        (lambda: F.vjp(linear, x, x, strict=True, create_graph=True), "The jacobian of the user-provided function is independent of input 0"),
        (lambda: F.jvp(constant, x, x, strict=True), "Output 0 of the user-provided function does not require gradients"),
        (lambda: F.jvp(lambda a: (a, a.detach()), x, x, strict=True), "Output 1 of the user-provided function does not require gradients"),
        (lambda: F.jvp(first, (x, y), (x, y), strict=True), "independent of input 1"),
        (lambda: F.jvp(linear, x, x, strict=True, create_graph=True), "The jacobian of the user-provided function is independent of input 0"),
        (lambda: F.vhp(total, x, x, strict=True), "the jacobian of the user-provided function with respect to input 0"),
        (lambda: F.hvp(total, x, x, strict=True), "the jacobian of the user-provided function with respect to input 0"),
        (lambda: F.vhp(lambda a, b: (a * a).sum() + b.sum(), (x, y), (x, y), strict=True), "the jacobian of the user-provided function with respect to input 1"),
        (lambda: F.vhp(lambda a: (a * a).sum(), x, x, strict=True, create_graph=True), "The hessian of the user-provided function is independent of input 0"),
        (lambda: F.hvp(lambda a: (a * a).sum(), x, x, strict=True, create_graph=True), "The hessian of the user-provided function is independent of input 0"),
    ]
    for run, words in cases:
        with pytest.raises(RuntimeError) as caught:
            run()
        assert words in str(caught.value)


def test_strict_passes(torch):
    F = torch.autograd.functional
    x, = arrays(torch, X)
    cube = lambda a: a.pow(3)
    close(F.jacobian(cube, x, strict=True), np.diag(3 * X ** 2))
    close(F.jacobian(cube, x, strict=True, create_graph=True), np.diag(3 * X ** 2))
    close(F.hessian(lambda a: cube(a).sum(), x, strict=True), np.diag(6 * X))
    close(F.vjp(cube, x, x, strict=True, create_graph=True)[1], 3 * X ** 3)
    close(F.jvp(cube, x, x, strict=True, create_graph=True)[1], 3 * X ** 3)
    close(F.hvp(lambda a: cube(a).sum(), x, x, strict=True, create_graph=True)[1], 6 * X ** 2)


def test_strategies(torch):
    F = torch.autograd.functional
    x, = arrays(torch, X)
    square = lambda a: a * a
    pair = lambda a: (a, a * a)
    assert isinstance(F.jacobian(pair, x), tuple) and isinstance(F.jacobian(pair, x, vectorize=True), tuple)
    forward = F.jacobian(pair, (x,), vectorize=True, strategy="forward-mode")
    assert isinstance(forward, list) and isinstance(forward[0], list)
    assert isinstance(F.jacobian(pair, x, vectorize=True, strategy="forward-mode"), tuple)
    for run, kind, words in [
        (lambda: F.jacobian(square, x, strategy="both"), AssertionError, 'Expected strategy to be either "forward-mode" or "reverse-mode"'),
        (lambda: F.hessian(lambda a: a.sum(), x, outer_jacobian_strategy="both"), AssertionError, "Expected strategy to be either"),
        (lambda: F.jacobian(square, x, strategy="forward-mode"), NotImplementedError, "only implemented for `vectorize=True`"),
        (lambda: F.hessian(lambda a: a.sum(), x, outer_jacobian_strategy="forward-mode"), NotImplementedError, "only implemented for `vectorize=True`"),
        (lambda: F.jacobian(square, x, strategy="forward-mode", vectorize=True, create_graph=True), NotImplementedError, "are not supported together"),
    ]:
        with pytest.raises(kind) as caught:
            run()
        assert words in str(caught.value)
