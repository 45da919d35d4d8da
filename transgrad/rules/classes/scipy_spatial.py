"""What the functions of scipy.spatial and its distances are to a derivative."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (
    Namespace(
        "scipy.spatial",
        differentiable="distance_matrix minkowski_distance minkowski_distance_p",
        missing={"no derivative of this one has been written": "geometric_slerp procrustes"},
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
            braycurtis canberra cdist chebyshev cityblock correlation cosine euclidean jensenshannon mahalanobis minkowski norm pdist
            rel_entr seuclidean sqeuclidean squareform
        """,
        structural="CDistMetricWrapper Callable MetricInfo PDistMetricWrapper is_valid_dm is_valid_y num_obs_dm num_obs_y partial",
        missing={"it compares truth values, and has a derivative by their weights only":
            "dice hamming jaccard rogerstanimoto russellrao sokalsneath yule",
                 "no derivative of this one has been written: it is the largest entry of cdist's smallest": "directed_hausdorff"},
    ),
)
