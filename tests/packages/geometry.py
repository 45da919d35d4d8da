"""Rotations, curves, distances between curves, colours."""
from __future__ import annotations

import numpy as np

from .entry import Entry, entry

__all__ = ["ENTRIES"]

_Q = np.array([0.5, 0.5, 0.5, 0.5])
_P = np.array([0.8, 0.1, 0.3, 0.5])
_V = np.array([0.3, -0.7, 1.2])
_W = np.array([1.1, 0.4, -0.5])
_CURVE = np.array([[0.0, 0.0], [1.0, 0.4], [2.0, 0.1], [3.0, 0.8]])
_OTHER = _CURVE + np.array([[0.1, 0.3], [0.05, 0.5], [-0.1, 0.35], [0.2, 0.1]])
_ROTATION = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])

ENTRIES: tuple[Entry, ...] = (
    entry("transforms3d.euler:euler2mat", 0.1, 0.5, 0.9, reduce="np.sum(r*np.arange(9.).reshape(3,3))"),
    entry("transforms3d.euler:mat2euler", _ROTATION, reduce="r[0]+2*r[1]+3*r[2]"),
    entry("transforms3d.quaternions:quat2mat", _P, reduce="np.sum(r*np.arange(9.).reshape(3,3))"),
    entry("transforms3d.quaternions:qmult", _Q, _P, reduce="np.sum(r*np.arange(4.))"),
    entry("transforms3d.quaternions:rotate_vector", _V, _P, reduce="np.sum(r*np.arange(1,4.))"),
    entry("transforms3d.axangles:axangle2mat", _V, 0.7, reduce="np.sum(r*np.arange(9.).reshape(3,3))"),
    entry("transforms3d.quaternions:qinverse", _P, reduce="np.sum(r*np.arange(4.))"),
    entry("transforms3d.quaternions:mat2quat", _ROTATION, reduce="np.sum(r*np.arange(4.))"),
    entry("transforms3d.affines:decompose44", np.array([[2.0, 0.1, 0.2, 1.0], [0.1, 1.5, 0.3, 2.0], [0.0, 0.2, 1.2, 3.0], [0.0, 0.0, 0.0, 1.0]]),
          reduce="np.sum(r[2])+np.sum(r[3])"),
    entry("transforms3d.euler:quat2euler", _P, reduce="r[0]+2*r[1]+3*r[2]"),
    entry("pytransform3d.rotations:matrix_from_quaternion", _P, reduce="np.sum(r*np.arange(9.).reshape(3,3))"),
    entry("pytransform3d.rotations:concatenate_quaternions", _Q, _P, reduce="np.sum(r*np.arange(4.))"),
    entry("pytransform3d.rotations:matrix_from_compact_axis_angle", _V, reduce="np.sum(r*np.arange(9.).reshape(3,3))"),
    entry("pytransform3d.rotations:quaternion_slerp", _Q, _P / np.linalg.norm(_P), 0.3, wrt=(2,), reduce="np.sum(r*np.arange(4.))"),
    entry("pytransform3d.transformations:transform_from_exponential_coordinates", np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]),
          reduce="np.sum(r*np.arange(16.).reshape(4,4))"),
    entry("pytransform3d.rotations:q_prod_vector", _P / np.linalg.norm(_P), _V, wrt=(1,), reduce="np.sum(r*np.arange(1,4.))"),
    entry("colorspacious:cspace_convert", np.array([60.0, 70.0, 80.0]), "sRGB255", "CIELab", wrt=(0,),
          reduce="np.sum(r*np.arange(1,4.))", step=0.001),
    entry("colorspacious:deltaE", np.array([0.5, 0.4, 0.3]), np.array([0.45, 0.5, 0.2]), "sRGB1", wrt=(0, 1)),
    entry("colorspacious:cspace_convert", np.array([0.2, 0.3, 0.5]), "sRGB1", "XYZ100", wrt=(0,), reduce="np.sum(r*np.arange(1,4.))"),
    entry("colorspacious:cspace_convert", np.array([60.0, 70.0, 80.0]), "sRGB255", "CAM02-UCS", wrt=(0,),
          reduce="np.sum(r*np.arange(1,4.))", step=0.001),
    entry("similaritymeasures:area_between_two_curves", _CURVE, _OTHER),
    entry("similaritymeasures:frechet_dist", _CURVE, _OTHER),
    entry("similaritymeasures:dtw", _CURVE, _OTHER, reduce="r[0]"),
    entry("similaritymeasures:curve_length_measure", _CURVE, _OTHER),
    entry("similaritymeasures:pcm", _CURVE, _OTHER),
    entry("similaritymeasures:mae", _CURVE, _OTHER),
    entry("similaritymeasures:mse", _CURVE, _OTHER),
    entry("splines:CatmullRom", _CURVE, reduce="np.sum(r.evaluate(1.3)*np.arange(1,3.))"),
    entry("splines:Natural", _CURVE, reduce="np.sum(r.evaluate(1.3)*np.arange(1,3.))"),
    entry("splines:Bernstein", (_CURVE,), wrt=(0,), reduce="np.sum(r.evaluate(.3)*np.arange(1,3.))"),
    entry("geomdl.helpers:basis_function", 2, [0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0], 2, 0.3, wrt=(3,), reduce="r[0]+2*r[1]+3*r[2]"),
    entry("geomdl.linalg:vector_cross", [0.3, -0.7, 1.2], [1.1, 0.4, -0.5], wrt=(0, 1), reduce="r[0]+2*r[1]+3*r[2]"),
    entry("geomdl.linalg:vector_normalize", [0.3, -0.7, 1.2], wrt=(0,), reduce="r[0]+2*r[1]+3*r[2]"),
    entry("ahrs.common.quaternion:Quaternion", _P, reduce="np.sum(r.to_DCM()*np.arange(9.).reshape(3,3))"),
    entry("ahrs.common.orientation:q2R", _P / np.linalg.norm(_P), reduce="np.sum(r*np.arange(9.).reshape(3,3))"),
    entry("ahrs.common.orientation:acc2q", _V, reduce="np.sum(r*np.arange(4.))"),
    entry("ahrs.common.orientation:ecompass", _V, _W, reduce="np.sum(r*np.arange(9.).reshape(3,3))"),
    entry("ahrs.common.orientation:q_prod", _Q, _P, reduce="np.sum(r*np.arange(4.))"),
    entry("ahrs.common.orientation:slerp", _Q, _P / np.linalg.norm(_P), np.array([0.3, 0.5]), wrt=(2,), reduce="np.sum(r*np.arange(4.))"),
    entry("ahrs.utils.metrics:qad", _Q, _P),
    entry("pyquaternion:Quaternion", _P, reduce="r.norm + r.radians"),
    entry("pyquaternion:lambda t: Quaternion.slerp(Quaternion(.5, .5, .5, .5), Quaternion(.8, .1, .3, .5), t)", 0.3, reduce="r.q[1]"),
)
