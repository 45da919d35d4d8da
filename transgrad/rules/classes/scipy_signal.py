"""Classification of the functions of scipy.signal."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.signal",
    differentiable="""
        abcd_normalize band_stop_obj bessel bilinear bilinear_zpk bode butter buttord cheb1ap cheb1ord cheb2ap cheb2ord cheby1
        cheby2 chirp closest_STFT_dual_window coherence cont2discrete convolve convolve2d correlate correlate2d csd cspline1d
        cspline1d_eval cspline2d czt czt_points dbode decimate deconvolve detrend dfreqresp dimpulse dlsim dstep ellipord
        envelope fftconvolve filtfilt find_peaks firls firwin firwin2 firwin_2d freqresp freqs freqs_zpk freqz freqz_sos
        freqz_zpk gammatone gauss_spline gausspulse get_window group_delay hilbert hilbert2 iircomb iirdesign iirfilter iirnotch
        iirpeak impulse invres invresz istft kaiser_atten kaiser_beta kaiserord lfilter lfilter_zi lfiltic lombscargle lp2bp
        lp2bp_zpk lp2bs lp2bs_zpk lp2hp lp2hp_zpk lp2lp lp2lp_zpk lsim medfilt medfilt2d minimum_phase normalize oaconvolve
        order_filter peak_prominences peak_widths periodogram qspline1d qspline1d_eval qspline2d resample resample_poly residue
        residuez savgol_coeffs savgol_filter sawtooth sepfir2d sos2tf sos2zpk sosfilt sosfilt_zi sosfiltfilt sosfreqz
        spectrogram spline_filter ss2tf ss2zpk step stft sweep_poly symiirorder1 symiirorder2 tf2sos tf2ss tf2zpk unique_roots
        upfirdn vectorstrength welch wiener zoom_fft zpk2sos zpk2ss zpk2tf
    """,
    constant="""
        argrelextrema argrelmax argrelmin besselap buttap check_COLA check_NOLA choose_conv_method correlation_lags find_peaks_cwt findfreqs
        max_len_seq square unit_impulse
    """,
    missing={
        "its choice of the penalty has no rule: solve the system with scipy.linalg.solveh_banded": "whittaker_henderson",
        "the poles solve equations between elliptic integrals, which have no rule: use cheby1 or cheby2": "ellip ellipap",
        "its exchange algorithm has no rule: use firls or firwin": "remez",
        "its vectors come from a truncated iteration and are not unique: use scipy.linalg.solve_continuous_are": "place_poles",
    },
    refused={
        "it makes an object that the compiler does not look into; the functions of the same purpose (czt, stft, lsim, freqz) have a "
        "derivative": "CZT ShortTimeFFT StateSpace TransferFunction ZerosPolesGain ZoomFFT dlti lti",
        "newer versions of SciPy lack it: use what its documentation names in its place":
            "cascade cmplx_sort cwt daub morlet morlet2 qmf ricker",
        "it runs SciPy's own tests": "test",
    },
), Namespace(
    "scipy.signal.windows",
    differentiable="""
        chebwin dpss exponential gaussian general_cosine general_gaussian general_hamming get_window kaiser
        kaiser_bessel_derived taylor tukey
    """,
    constant="""
        barthann bartlett blackman blackmanharris bohman boxcar cosine flattop hamming hann lanczos nuttall parzen triang
    """,
))
