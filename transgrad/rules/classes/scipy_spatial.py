"""Classification of the functions of scipy.spatial and scipy.spatial.distance."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (
    Namespace(
        "scipy.spatial",
        differentiable="distance_matrix geometric_slerp minkowski_distance minkowski_distance_p procrustes",
        refused={
            "it is geometry of neighbours: its answers are indices, or objects that the compiler does not look into":
                "ConvexHull Delaunay HalfspaceIntersection KDTree Rectangle SphericalVoronoi Voronoi cKDTree tsearch",
            "it draws": "convex_hull_plot_2d delaunay_plot_2d voronoi_plot_2d",
            "it runs SciPy's own tests": "test",
        },
    ),
    Namespace(
        "scipy.spatial.distance",
        differentiable="""
            braycurtis canberra cdist chebyshev cityblock correlation cosine dice directed_hausdorff euclidean hamming jaccard
            jensenshannon mahalanobis minkowski norm pdist rel_entr rogerstanimoto russellrao seuclidean sokalsneath sqeuclidean
            squareform yule
        """,
        structural="CDistMetricWrapper Callable MetricInfo Optional PDistMetricWrapper is_valid_dm is_valid_y num_obs_dm num_obs_y partial",
        refused={"newer versions of SciPy lack it: use another metric": "kulczynski1 sokalmichener"},
    ),
)
