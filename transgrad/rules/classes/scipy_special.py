"""Classification of the functions of scipy.special."""
from __future__ import annotations

from .namespace import Namespace

_TABLES = "it returns zeros, nodes, coefficients or a polynomial for whole-number orders: nothing of it is differentiated here"

NAMESPACES = (Namespace(
    "scipy.special",
    differentiable="""
        agm airy airye assoc_laguerre assoc_legendre_p assoc_legendre_p_all bdtr bdtrc bdtri bdtrik bdtrin bei beip ber berp
        besselpoly beta betainc betaincc betainccinv betaincinv betaln binom boxcox boxcox1p btdtria btdtrib cbrt chdtr chdtrc
        chdtri chdtriv chndtr chndtridf chndtrinc chndtrix comb cosdg cosm1 cotdg dawsn digamma diric ellip_harm ellip_harm_2
        ellipe ellipeinc ellipj ellipk ellipkinc ellipkm1 elliprc elliprd elliprf elliprg elliprj entr erf erfc erfcinv erfcx
        erfi erfinv eval_chebyc eval_chebys eval_chebyt eval_chebyu eval_gegenbauer eval_genlaguerre eval_hermite
        eval_hermitenorm eval_jacobi eval_laguerre eval_legendre eval_sh_chebyt eval_sh_chebyu eval_sh_jacobi eval_sh_legendre
        exp1 exp10 exp2 expi expit expm1 expn exprel factorial fdtr fdtrc fdtri fdtridfd fresnel gamma gammainc gammaincc
        gammainccinv gammaincinv gammaln gdtr gdtrc gdtria gdtrib gdtrix h1vp h2vp hankel1 hankel1e hankel2 hankel2e huber
        hyp0f1 hyp1f1 hyp2f1 hyperu i0 i0e i1 i1e inv_boxcox inv_boxcox1p it2i0k0 it2j0y0 it2struve0 itairy iti0k0 itj0y0
        itmodstruve0 itstruve0 iv ive ivp j0 j1 jn jv jve jvp k0 k0e k1 k1e kei keip kelvin ker kerp kl_div kn kolmogi
        kolmogorov kv kve kvp lambertw legendre_p legendre_p_all lmbda log1p log_expit log_ndtr log_softmax log_wright_bessel
        loggamma logit logsumexp lpmv lqmn lqn mathieu_a mathieu_b mathieu_cem mathieu_modcem1 mathieu_modcem2 mathieu_modsem1
        mathieu_modsem2 mathieu_sem modfresnelm modfresnelp modstruve multigammaln nbdtr nbdtrc nbdtri nbdtrik nbdtrin ncfdtr
        ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc nctdtr nctdtridf nctdtrinc nctdtrit ndtr ndtri ndtri_exp nrdtrimn nrdtrisd
        obl_ang1 obl_ang1_cv obl_cv obl_rad1 obl_rad1_cv owens_t pbdn_seq pbdv pbdv_seq pbvv pbvv_seq pbwa pdtr pdtrc pdtri
        pdtrik perm poch polygamma powm1 pro_ang1 pro_ang1_cv pro_cv pro_rad1 pro_rad1_cv pro_rad2 pro_rad2_cv pseudo_huber psi
        radian rel_entr rgamma riccati_jn riccati_yn shichi sici sinc sindg smirnov smirnovi softmax softplus spence sph_harm_y
        sph_harm_y_all sph_legendre_p sph_legendre_p_all spherical_in spherical_jn spherical_kn spherical_yn stdtr stdtridf
        stdtrit struve tandg tklmbda voigt_profile wofz wright_bessel wrightomega xlog1py xlogy y0 y1 yn yv yve yvp zeta zetac
    """,
    constant="gammasgn round",
    structural="errstate geterr seterr",
    missing={
        "SciPy's values of the function and of its derivative disagree by orders of magnitude (degree 5, order 2 at c = 1.6)":
            "obl_rad2 obl_rad2_cv",
        "its derivative needs an eigenvalue problem of Lamé functions that SciPy does not expose": "ellip_normal",
    },
    refused={
        _TABLES: """
            ai_zeros bei_zeros beip_zeros ber_zeros bernoulli berp_zeros bi_zeros erf_zeros euler fresnel_zeros fresnelc_zeros
            fresnels_zeros jn_zeros jnjnp_zeros jnp_zeros jnyn_zeros kei_zeros keip_zeros kelvin_zeros ker_zeros kerp_zeros y0_zeros
            y1_zeros y1p_zeros yn_zeros ynp_zeros mathieu_even_coef mathieu_odd_coef obl_cv_seq pro_cv_seq
            roots_chebyc roots_chebys roots_chebyt roots_chebyu roots_gegenbauer roots_genlaguerre roots_hermite roots_hermitenorm
            roots_jacobi roots_laguerre roots_legendre roots_sh_chebyt roots_sh_chebyu roots_sh_jacobi roots_sh_legendre
            c_roots cg_roots h_roots he_roots j_roots js_roots l_roots la_roots p_roots ps_roots s_roots t_roots ts_roots u_roots us_roots
            chebyc chebys chebyt chebyu gegenbauer genlaguerre hermite hermitenorm jacobi laguerre legendre sh_chebyt sh_chebyu
            sh_jacobi sh_legendre
        """,
        "it is of whole numbers": "factorial2 factorialk stirling2",
        "newer versions of SciPy lack it: use what its documentation names in its place":
            "btdtr btdtri clpmn lpmn lpn sph_harm",
        "it runs SciPy's own tests": "test",
    },
),)
