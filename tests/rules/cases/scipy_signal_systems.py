"""scipy.signal: systems, partial fractions, splines of samples."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .forms import Case, case, cplx, real


def cases() -> Iterator[Case]:
    import scipy.signal as sg
    A, B, C, D = (real(3, 3) - 2 * np.eye(3), real(3, 2), real(2, 3), real(2, 2))
    T = np.linspace(0, 1.5, 6)
    T1 = np.linspace(0.1, 1.6, 6)
    h = np.array([0.05, 0.1, 1.0, 0.1, 0.05])
    h2 = sg.firwin(9, 0.4)
    x = real(20)
    pk = sg.find_peaks(x)[0]
    b, a = (np.array([0.2, 0.5, 0.3]), np.array([1.0, 0.9]))
    b2, a2 = (np.array([0.3, 0.7]), np.array([2.0, 1.3, 0.2]))
    r = cplx(2)
    p = np.array([0.5 + 0.2j, -0.3 + 0.1j])
    tf = (np.array([1.0, 2.0]), np.array([1.0, 1.4, 0.9]))
    yield case(sg.residue, b + 0j, a)
    yield case(sg.residue, b2 + 0j, a2)
    yield case(sg.residuez, b2 + 0j, a2)
    yield case(sg.residuez, np.array([0.3, 0.7, 0.1, 0.4j]), a2)
    yield case(sg.invres, r, p, np.zeros(0))
    yield case(sg.invres, r, p, np.array([1.0, 2.0]))
    yield case(sg.invresz, r, p, np.array([1.0, 2.0]))
    yield case(sg.unique_roots, np.array([1.0, 1.0001, 2.0]))
    yield case(sg.unique_roots, np.array([1.0, 1.0001, 2.0]), rtype="avg")
    yield case(sg.peak_prominences, x, pk)
    yield case(sg.peak_widths, x, pk)
    yield case(sg.symiirorder1, real(30), 1.2, 0.3, 1e-14, fixed=(3,))
    yield case(sg.cspline1d, real(12))
    yield case(sg.qspline1d, real(12))
    yield case(sg.cspline1d_eval, real(8), np.array([-1.3, 0.2, 3.4, 6.7, 9.1, 16.2]))
    yield case(sg.qspline1d_eval, real(8), np.array([-1.2, 0.2, 3.4, 6.7, 9.1]), 0.7, 0.1)
    yield case(sg.sepfir2d, real(6, 7), np.array([0.2, 0.5, 0.3]), np.array([0.1, 0.2, 0.3, 0.2, 0.2]))
    yield case(sg.lsim, (A, B, C, D), real(6, 2), T, fixed=(2,))
    yield case(sg.lsim, (A, B, C, D), real(6, 2), T1, real(3), False, fixed=())
    yield case(sg.lsim, tf, real(6), T, fixed=(2,))
    yield case(sg.impulse, tf, None, T, fixed=(2,))
    yield case(sg.impulse, (A, B[:, :1], C[:1], D[:1, :1]), real(3, 1), T, fixed=(2,))
    yield case(sg.step, tf, None, T, fixed=(2,))
    yield case(sg.dlsim, (A / 5, B, C, D, 0.1), real(6, 2), fixed=())
    yield case(sg.dlsim, (*tf, 0.1), real(6))
    yield case(sg.dimpulse, (A / 5, B, C, D, 0.1), n=5)
    yield case(sg.dstep, (A / 5, B, C, D, 0.1), real(3), n=5)
    yield case(sg.dstep, (*tf, 0.1), n=5)
    yield case(sg.minimum_phase, h, n_fft=64)
    yield case(sg.minimum_phase, h, half=False, n_fft=65)
    yield case(sg.minimum_phase, h2, "hilbert", n_fft=64)
    yield case(sg.butter, 3, 1.2, analog=True)
    yield case(sg.butter, 4, np.array([0.2, 0.4]), "band", output="zpk")
    yield case(sg.cheby2, 4, 30.0, np.array([0.2, 0.4]), "stop", output="zpk")
    yield case(sg.bessel, 3, 2.0, analog=True, norm="mag")
