"""What the functions of scipy.signal are to a derivative."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.signal",
    differentiable="""
        convolve convolve2d correlate correlate2d detrend fftconvolve filtfilt hilbert lfilter lfilter_zi oaconvolve sosfilt
    """,
    constant="""
        argrelextrema argrelmax argrelmin check_COLA check_NOLA choose_conv_method correlation_lags find_peaks_cwt
        max_len_seq square unit_impulse
    """,
    missing={
        "no derivative of filter design has been written: coefficients are constant, or an argument":
            """abcd_normalize band_stop_obj bessel besselap bilinear bilinear_zpk buttap butter cheb1ap cheb2ap cheby1 cheby2 cont2discrete
            ellip ellipap firls firwin firwin2 firwin_2d gammatone iircomb iirdesign iirfilter iirnotch iirpeak kaiser_atten kaiser_beta
            lp2bp lp2bp_zpk lp2bs lp2bs_zpk lp2hp lp2hp_zpk lp2lp lp2lp_zpk minimum_phase normalize place_poles remez get_window
            findfreqs buttord cheb1ord cheb2ord ellipord kaiserord savgol_coeffs
            sos2tf sos2zpk sosfilt_zi ss2tf ss2zpk tf2sos tf2ss tf2zpk zpk2sos zpk2ss zpk2tf lfiltic""",
        "no derivative of frequency responses has been written: evaluate the polynomials with numpy.polyval":
            "bode dbode dfreqresp freqresp freqs freqs_zpk freqz freqz_sos freqz_zpk group_delay sosfreqz",
        "no derivative of spectral estimates has been written: write them with scipy.fft":
            "coherence csd czt istft lombscargle periodogram spectrogram stft vectorstrength welch zoom_fft closest_STFT_dual_window "
            "envelope",
        "it is linear in the signal, but no derivative has been written: use lfilter, sosfilt or convolve":
            """cspline1d cspline1d_eval cspline2d decimate deconvolve hilbert2 qspline1d qspline1d_eval qspline2d resample resample_poly
            savgol_filter sepfir2d sosfiltfilt spline_filter symiirorder1 symiirorder2 upfirdn gauss_spline""",
        "simulations of systems are differentiated through scipy.integrate.solve_ivp": "dimpulse dlsim dstep impulse lsim step",
        "its indices are constant, what it says of the peaks is not: give it transgrad.stop_gradient(x), and index x": "find_peaks",
        "no derivative of this one has been written":
            """chirp gausspulse invres invresz medfilt medfilt2d order_filter peak_prominences peak_widths residue residuez sawtooth
            sweep_poly unique_roots wiener czt_points""",
    },
    refused={
        "it makes an object that the compiler does not look into":
            "CZT ShortTimeFFT StateSpace TransferFunction ZerosPolesGain ZoomFFT dlti lti",
        "it runs SciPy's own tests": "test",
    },
),)
