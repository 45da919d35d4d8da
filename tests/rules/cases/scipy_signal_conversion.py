"""scipy.signal: responses and forms of filters."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from transgrad.rules.installed import installed

from .forms import Case, case, positive, real


def cases() -> Iterator[Case]:
    import scipy.signal as sg
    b, a = (np.array([0.2, 0.3, 0.1]), np.array([1.1, -0.4, 0.2]))
    sos = np.concatenate([positive(2, 3), np.ones((2, 1)), real(2, 2, low=-0.4, high=0.4)], axis=1)
    w = np.linspace(0.1, 2.5, 5)
    z = np.array([-0.3 + 0.4j, -0.3 - 0.4j])
    p = np.array([0.5 + 0.1j, -0.2 + 0.6j, -0.2 - 0.6j])
    A, B, C, D = (real(3, 3) - 2 * np.eye(3), real(3, 2), real(2, 3), real(2, 2))
    yield case(sg.freqz, b, a)
    yield case(sg.freqz, b, a, 8, True)
    yield case(sg.freqz, b, a, 8, include_nyquist=True, fs=3.0)
    yield case(sg.freqz, b, a, w)
    yield case(sg.freqz, b)
    yield case(sg.freqz, b, a, w, fs=7.0)
    yield case(sg.freqs, b, a)
    yield case(sg.freqs, b, a, w)
    yield case(sg.freqs_zpk, z, p, 1.3, w)
    yield case(sg.freqs_zpk, real(2), real(3), 1.3, 7, fixed=(0, 1))
    yield case(sg.freqz_zpk, z, p, 1.3)
    yield case(sg.freqz_zpk, z, p, 1.3, w, fs=5.0)
    yield case(installed("scipy.signal.freqz_sos"), sos, 6, fixed=(0,))
    yield case(sg.sosfreqz, sos, w, fixed=(0,))
    yield case(sg.group_delay, (b, a))
    yield case(sg.group_delay, (b, a), w)
    yield case(sg.freqresp, (b, a), w)
    yield case(sg.freqresp, (b, a), n=9)
    yield case(sg.bode, (b, a), w)
    yield case(sg.dfreqresp, (b, a, 0.1), n=9)
    yield case(sg.dbode, (b, a, 0.1), w)
    yield case(sg.dfreqresp, (b, a, 0.1), w)
    yield case(sg.normalize, b, a)
    yield case(sg.tf2zpk, np.array([1.0, -3.0, 1.0]), np.array([2.0, -6.0, 3.5]))
    yield case(sg.zpk2tf, z, np.array([0.5, -0.2 + 0.6j, -0.2 - 0.6j]), 1.3, fixed=(0, 1))
    yield case(sg.zpk2tf, real(2), real(3), 1.3)
    yield case(sg.sos2tf, sos)
    yield case(sg.sos2zpk, sos)
    yield from (case(f, b[:n], a[:m], 1.3) for f in (sg.lp2lp, sg.lp2hp) for n, m in ((3, 3), (2, 3), (1, 3)))
    yield from (case(f, b[:n], a[:m], 1.3, 0.7) for f in (sg.lp2bp, sg.lp2bs) for n, m in ((3, 3), (2, 3), (1, 3)))
    yield case(sg.bilinear, b[:2], a, 1.3)
    yield case(sg.bilinear, b, a)
    yield case(sg.lp2lp_zpk, z, p, 1.3, 0.7)
    yield case(sg.lp2hp_zpk, z, p, 1.3, 0.7)
    yield case(sg.lp2bp_zpk, z, p, 1.3, 0.7, 0.5)
    yield case(sg.lp2bs_zpk, z, p, 1.3, 0.7, 0.5)
    yield case(sg.bilinear_zpk, z, p, 1.3, 0.7)
    yield case(sg.tf2ss, b, a)
    yield case(sg.tf2ss, b[:2], a)
    yield case(sg.zpk2ss, real(2), real(3), 1.2)
    yield case(sg.abcd_normalize, A, B, C, D)
    yield case(sg.ss2tf, A, B, C, D)
    yield case(sg.ss2tf, A, B, C, D, 1)
    yield case(sg.ss2zpk, np.diag([-1.0, -2.0, -4.0]), np.ones((3, 1)), np.array([[1.0, 2.0, 3.0]]), np.array([[0.5]]))
    yield from (case(sg.cont2discrete, (A, B, C, D), 0.3, m) for m in ("zoh", "foh", "bilinear", "euler", "backward_diff"))
    yield case(sg.cont2discrete, (A, B, C, D), 0.3, "gbt", 0.4)
    yield case(sg.cont2discrete, (A, B, C, np.zeros((2, 2))), 0.3, "impulse", fixed=(0,))
