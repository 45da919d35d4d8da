"""The programs: each a function of an array, and of objects of the package that ``make`` creates."""
from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["PROGRAMS", "Program"]


@dataclass(frozen=True, eq=False)
class Program:
    """``f(x, *make())``, by the array ``x``; ``step`` is that of the differences where the program rounds to single precision."""

    package: str
    what: str
    f: Callable[..., Any]
    x: Any
    make: Callable[[], tuple[Any, ...]]
    step: float | None = None


PROGRAMS: list[Program] = []


def program(package: str, what: str, x: Any, make: Callable[[], tuple[Any, ...]] = tuple, step: float | None = None) -> Callable[..., Any]:
    """Enter a function into the list."""
    def enter(f: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append(Program(package, what, f, np.asarray(x, float), make, step))
        return f
    return enter


def of(path: str) -> Any:
    """A name of a module."""
    module, _, name = path.partition(":")
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def names(*paths: str) -> tuple[Any, ...]:
    """Classes and functions of a package."""
    return tuple(map(of, paths))


def environment(name: str) -> tuple[Any, ...]:
    """An environment of classic control that has been reset."""
    env = of("gymnasium:make")(name).unwrapped
    env.reset(seed=0)
    return (env,)


@program("gymnasium", "CartPole: 50 steps, by the state", [0.01, -0.02, 0.03, 0.04], lambda: environment("CartPole-v1"))
def cart_pole(x, env):
    env.state = x
    for k in range(50):
        env.step(k % 2)
    return env.state[0] + env.state[2]


@program("gymnasium", "CartPole: 50 steps, by length and mass", [0.5, 0.1], lambda: environment("CartPole-v1"))
def cart_pole_parameters(x, env):
    env.length, env.masspole = x[0], x[1]
    env.total_mass = env.masspole + env.masscart
    env.polemass_length = env.masspole * env.length
    for k in range(50):
        env.step(k % 2)
    return env.state[1] ** 2 + env.state[2]


@program("gymnasium", "Pendulum: 50 steps, by the state", [0.3, 0.1], lambda: environment("Pendulum-v1"))
def pendulum(x, env):
    env.state = x
    total = 0.0
    for _ in range(50):
        total = total + env.step(np.array([0.5]))[1]
    return total


@program("gymnasium", "Pendulum: 50 steps, by the torques", 0.1 * np.arange(50) % 0.7, lambda: environment("Pendulum-v1"))
def pendulum_torques(x, env):
    env.state = np.array([0.3, 0.1])
    total = 0.0
    for k in range(50):
        total = total + env.step(x[k:k + 1])[1]
    return total


@program("gymnasium", "MountainCarContinuous: 50 steps, by the forces", 0.02 * np.arange(50) - 0.4,
         lambda: environment("MountainCarContinuous-v0"), step=0.05)
def mountain_car(x, env):
    env.state = np.array([-0.5, 0.01])
    for k in range(50):
        env.step(x[k:k + 1])
    return env.state[0]


@program("gymnasium", "Acrobot: 50 steps, by the state", [0.1, -0.1, 0.05, 0.02], lambda: environment("Acrobot-v1"))
def acrobot(x, env):
    env.state = x
    for k in range(50):
        env.step(k % 3)
    return env.state[0] + env.state[3]


ACC, GYR, MAG = np.array([0.3, 0.2, 9.7]), np.array([0.02, -0.03, 0.05]), np.array([20.0, 3.0, 40.0])


@program("ahrs", "Madgwick.updateIMU: 20 steps, by gyroscope and accelerometer", [*GYR, *ACC], lambda: (of("ahrs.filters:Madgwick")(),))
def madgwick(x, f):
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for k in range(20):
        q = f.updateIMU(q, gyr=x[:3] * (1 + 0.1 * k), acc=x[3:])
    return q[1] + 2 * q[2]


@program("ahrs", "Madgwick.updateMARG: 20 steps, by the magnetometer", MAG, lambda: (of("ahrs.filters:Madgwick")(),))
def madgwick_marg(x, f):
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for k in range(20):
        q = f.updateMARG(q, gyr=GYR * (1 + 0.1 * k), acc=ACC, mag=x)
    return q[1] + 2 * q[3]


@program("ahrs", "Madgwick: 20 steps, by the gain", [0.05], lambda: (of("ahrs.filters:Madgwick")(),))
def madgwick_gain(x, f):
    f.gain = x[0]
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(20):
        q = f.updateIMU(q, gyr=GYR, acc=ACC)
    return q[1]


@program("ahrs", "Mahony.updateIMU: 20 steps, by gyroscope and accelerometer", [*GYR, *ACC], lambda: (of("ahrs.filters:Mahony")(),))
def mahony(x, f):
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for k in range(20):
        q = f.updateIMU(q, gyr=x[:3] * (1 + 0.1 * k), acc=x[3:])
    return q[1] + 2 * q[2]


@program("ahrs", "EKF.update: 20 steps, by gyroscope and accelerometer", [*GYR, *ACC], lambda: (of("ahrs.filters:EKF")(),))
def ekf(x, f):
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for k in range(20):
        q = f.update(q, x[:3] * (1 + 0.1 * k), x[3:])
    return q[1] + 2 * q[2]


@program("ahrs", "AQUA.updateIMU: 10 steps", [*GYR, *ACC], lambda: (of("ahrs.filters:AQUA")(),))
def aqua(x, f):
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(10):
        q = f.updateIMU(q, x[:3], x[3:])
    return q[1] + 2 * q[2]


def kalman() -> Any:
    """A filter of position and velocity."""
    f = of("filterpy.kalman:KalmanFilter")(dim_x=2, dim_z=1)
    f.x, f.F, f.H = np.array([0.0, 1.0]), np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    f.P, f.R, f.Q = f.P * 10.0, np.array([[0.5]]), 0.01 * np.eye(2)
    return f


@program("filterpy", "KalmanFilter: 20 steps, by the measurements", np.sin(0.2 * np.arange(20)), lambda: (kalman(),))
def kalman_filter(x, f):
    for k in range(20):
        f.predict()
        f.update(x[k])
    return f.x[0] + f.x[1]


@program("filterpy", "KalmanFilter: log-likelihood, by the noise", [0.3, 0.02], lambda: (kalman(), np.sin(0.2 * np.arange(20))))
def kalman_noise(x, f, z):
    f.R, f.Q = x[0] * np.eye(1), x[1] * np.eye(2)
    total = 0.0
    for k in range(20):
        f.predict()
        f.update(z[k])
        total = total + f.log_likelihood
    return total


@program("filterpy", "rts_smoother after batch_filter, by the measurements", np.sin(0.2 * np.arange(12)), lambda: (kalman(),))
def smoother(x, f):
    means, covariances, _, _ = f.batch_filter(x)
    smoothed = f.rts_smoother(means, covariances)[0]
    return smoothed[3, 0] + smoothed[6, 1]


def unscented() -> Any:
    """An unscented filter of position and velocity."""
    points = of("filterpy.kalman:MerweScaledSigmaPoints")(2, alpha=0.1, beta=2.0, kappa=1.0)
    f = of("filterpy.kalman:UnscentedKalmanFilter")(dim_x=2, dim_z=1, dt=0.1, fx=move, hx=observe, points=points)
    f.x, f.P, f.R, f.Q = np.array([0.0, 1.0]), np.eye(2), np.array([[0.5]]), 0.01 * np.eye(2)
    return f


def move(x, dt):
    return np.array([x[0] + dt * x[1], x[1] - dt * np.sin(x[0])])


def observe(x):
    return np.array([x[0] ** 2])


@program("filterpy", "UnscentedKalmanFilter: 8 steps, by the measurements", 0.5 + 0.1 * np.arange(8), lambda: (unscented(),))
def unscented_filter(x, f):
    for k in range(8):
        f.predict()
        f.update(x[k])
    return f.x[0] + f.x[1]


@program("filterpy", "ExtendedKalmanFilter: 10 steps, by the measurements", 0.5 + 0.1 * np.arange(10),
         lambda: (of("filterpy.kalman:ExtendedKalmanFilter")(dim_x=2, dim_z=1),))
def extended_filter(x, f):
    f.x, f.F, f.Q, f.R = np.array([[0.5], [1.0]]), np.array([[1.0, 0.1], [0.0, 1.0]]), 0.01 * np.eye(2), np.array([[0.5]])
    for k in range(10):
        f.update(np.array([[x[k]]]), slope, square)
        f.predict()
    return f.x[0, 0] + f.x[1, 0]


def slope(x):
    return np.array([[2.0 * x[0, 0], 0.0]])


def square(x):
    return np.array([[x[0, 0] ** 2]])


@program("filterpy", "GHFilter: 10 steps, by the measurements", 0.5 + 0.1 * np.arange(10),
         lambda: (of("filterpy.gh:GHFilter")(x=0.0, dx=1.0, dt=0.1, g=0.6, h=0.02),))
def gh_filter(x, f):
    for k in range(10):
        f.update(x[k])
    return f.x + f.dx


@program("filterpy", "LeastSquaresFilter: 10 steps, by the measurements", 0.5 + 0.1 * np.arange(10) ** 2,
         lambda: (of("filterpy.leastsq:LeastSquaresFilter")(dt=0.1, order=1),))
def least_squares(x, f):
    for k in range(10):
        f.update(x[k])
    return f.x[0]


def atoms(calculator: str, **options: Any) -> tuple[Any, ...]:
    """Four atoms with a calculator."""
    made = of("ase:Atoms")("Ar4", positions=[[0.0, 0.0, 0.0], [1.1, 0.0, 0.1], [0.2, 1.2, 0.0], [0.1, 0.3, 1.15]])
    made.calc = of(calculator)(**options)
    return (made,)


START = np.array([[0.0, 0.0, 0.0], [1.1, 0.0, 0.1], [0.2, 1.2, 0.0], [0.1, 0.3, 1.15]])


@program("ase", "LennardJones: energy by atoms.positions", START, lambda: atoms("ase.calculators.lj:LennardJones"))
def lennard_jones(x, a):
    a.positions = x
    return a.get_potential_energy()


@program("ase", "MorsePotential: energy by atoms.positions", START, lambda: atoms("ase.calculators.morse:MorsePotential", rcut1=1.9, rcut2=2.7))
def morse(x, a):
    a.positions = x
    return a.get_potential_energy()


@program("ase", "Atoms: distances, center of mass and moments of inertia, by the positions", START, lambda: atoms("ase.calculators.lj:LennardJones"))
def geometry(x, a):
    a.positions = x
    return a.get_distance(0, 1) + a.get_center_of_mass()[1] + a.get_angle(0, 1, 2) / 50.0


ELEMENTS = [0.5e-4, 0.002, 1.2, 0.9, 0.4, 0.0599, 2.1]


@program("sgp4", "Satrec.sgp4init and sgp4_tsince of the model in Python, by the elements", ELEMENTS,
         lambda: names("sgp4.model:Satrec", "sgp4.api:WGS72"))
def satellite(x, cls, wgs72):
    sat = cls()
    sat.sgp4init(wgs72, "i", 5, 18441.785, x[0], 0.0, 0.0, x[1], x[2], x[3], x[4], x[5], x[6])
    _, r, v = sat.sgp4_tsince(90.0)
    return (r[0] + 2.0 * r[1] - r[2]) / 1000.0 + v[0]


@program("thermo", "PR: molar volume and departure enthalpy of methane, by temperature and pressure", [320.0, 2e6], lambda: names("thermo.eos:PR"))
def peng_robinson(x, cls):
    eos = cls(Tc=190.56, Pc=4599000.0, omega=0.008, T=x[0], P=x[1])
    return 1000.0 * eos.V_g + eos.H_dep_g / 1000.0


@program("thermo", "SRK: molar volume, by the critical constants", [190.56, 4599000.0, 0.008], lambda: names("thermo.eos:SRK"))
def redlich_kwong(x, cls):
    eos = cls(Tc=x[0], Pc=x[1], omega=x[2], T=320.0, P=2e6)
    return 1000.0 * eos.V_g


@program("thermo", "VDW: fugacity, by temperature and pressure", [320.0, 2e6], lambda: names("thermo.eos:VDW"))
def van_der_waals(x, cls):
    eos = cls(Tc=190.56, Pc=4599000.0, T=x[0], P=x[1])
    return eos.phi_g


@program("colour-science", "XYZ_to_Lab and delta_E_CIE2000", [0.2, 0.12, 0.05],
         lambda: names("colour.difference:delta_E_CIE2000", "colour:XYZ_to_Lab"))
def lab(x, delta, convert):
    return delta(convert(x), np.array([30.0, 20.0, 10.0]))


@program("colour-science", "sRGB_to_XYZ and XYZ_to_Luv", [0.4, 0.2, 0.6],
         lambda: names("colour:XYZ_to_Luv", "colour:sRGB_to_XYZ"))
def luv(x, to_luv, to_xyz):
    found = to_luv(to_xyz(x))
    return found[0] + found[1] - found[2]


@program("colour-science", "XYZ_to_CIECAM02", [19.01, 20.0, 21.78], lambda: names("colour:XYZ_to_CIECAM02"))
def ciecam(x, convert):
    found = convert(x, np.array([95.05, 100.0, 108.88]), 318.31, 20.0)
    return found.J + found.C


@program("colour-science", "XYZ_to_Oklab and JzAzBz", [0.2, 0.12, 0.05],
         lambda: names("colour:XYZ_to_Oklab", "colour:XYZ_to_Jzazbz"))
def oklab(x, to_oklab, to_jzazbz):
    return np.sum(to_oklab(x)) + np.sum(to_jzazbz(x))


@program("modern-robotics", "ForwardDynamicsTrajectory of a robot with three links, by the angles", [0.1, 0.2, 0.3],
         lambda: names("modern_robotics:ForwardDynamics"))
def dynamics(x, forward):
    links = [np.eye(4), np.eye(4), np.eye(4), np.eye(4)]
    for k, link in enumerate(links):
        link[2, 3] = 0.1 + 0.1 * k
    inertias = np.array([np.diag([0.01, 0.02, 0.01, 3.0, 3.0, 3.0]) for _ in range(3)])
    screws = np.array([[1.0, 0, 1, 0, 1, 0], [0, 1, 0, -0.089, 0, 0], [0, 1, 0, -0.089, 0, 0.425]]).T
    return np.sum(forward(x, np.array([0.1, 0.2, 0.3]), np.array([0.5, 0.6, 0.7]), np.array([0.0, 0.0, -9.8]), np.zeros(6), links,
                          inertias, screws))


@program("spatialmath-python", "SE3: products of instances, by angles and lengths", [0.3, 0.2, 0.5, 1.5], lambda: names("spatialmath:SE3"))
def poses(x, SE3):
    pose = SE3.Rx(x[0]) * SE3.Trans(x[3], 0.2, 0.1) * SE3.Ry(x[1]) * SE3.Rz(x[2])
    return np.sum(pose.t) + pose.A[0, 1]


@program("pytransform3d", "matrix_from_euler and quaternions", [0.3, 0.2, 0.5],
         lambda: names("pytransform3d.rotations:active_matrix_from_intrinsic_euler_xyz", "pytransform3d.rotations:quaternion_from_matrix"))
def euler(x, to_matrix, to_quaternion):
    q = to_quaternion(to_matrix(x))
    return q[1] + 2.0 * q[2]


@program("pytransform3d", "TransformManager: a chain of frames, by an axis and angle", [0.3, 0.2, 0.5, 0.7],
         lambda: names("pytransform3d.rotations:matrix_from_compact_axis_angle", "pytransform3d.transformations:transform_from",
                       "pytransform3d.transform_manager:TransformManager"))
def frames(x, pr, pt, cls):
    manager = cls(check=False)
    manager.add_transform("tool", "hand", pt(pr(x[:3]), np.array([0.1, x[3], 0.2])))
    manager.add_transform("hand", "base", pt(pr(2.0 * x[:3]), np.array([0.4, 0.1, 0.3])))
    found = manager.get_transform("tool", "base")
    return found[0, 3] + found[1, 2]


@program("simpy", "A machine with a queue: time in the system, by the times of service", [0.7, 1.3, 0.4, 0.9, 1.1],
         lambda: names("simpy:Environment", "simpy:Resource"))
def machine(x, environment, resource):
    env, spent = environment(), []
    server = resource(env, capacity=1)

    def job(k):
        yield env.timeout(0.5 * k)
        start = env.now
        with server.request() as request:
            yield request
            yield env.timeout(x[k])
        spent.append(env.now - start)

    for k in range(5):
        env.process(job(k))
    env.run()
    return sum(spent)


@program("simpy", "A battery: level after a schedule, by the rates", [0.7, 1.3, 0.4], lambda: names("simpy:Environment"))
def battery(x, environment):
    env = environment()
    level = []

    def charge():
        total = 0.0
        for rate in x:
            yield env.timeout(rate)
            total = total + rate * env.now
            level.append(total)
    env.process(charge())
    env.run()
    return level[-1]
