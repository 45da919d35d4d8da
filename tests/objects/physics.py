"""Particle systems, circuits, ray tracers, rigid bodies, fields and units."""
from __future__ import annotations

import copy
import functools
import math
from dataclasses import dataclass, field, replace

import numpy as np

from .registry import program


class Vec3:
    __slots__ = ("x", "y", "z")

    def __init__(self, x=0.0, y=0.0, z=0.0):
        self.x, self.y, self.z = x, y, z

    def __iter__(self):
        return iter((self.x, self.y, self.z))

    def __add__(self, o):
        return Vec3(*(a + b for a, b in zip(self, o)))

    def __sub__(self, o):
        return Vec3(*(a - b for a, b in zip(self, o)))

    def __mul__(self, k):
        if isinstance(k, Vec3):
            return sum(a * b for a, b in zip(self, k))
        return Vec3(self.x * k, self.y * k, self.z * k)

    __rmul__ = __mul__

    def __neg__(self):
        return self * -1.0

    def __matmul__(self, o):
        return Vec3(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)

    def norm(self):
        return math.sqrt(self * self)

    def unit(self):
        return self * (1.0 / self.norm())


class Light:
    def __init__(self, position, power):
        self.position, self.power = position, power


class Surface:
    def __init__(self, color, reflectance=0.0):
        self.color, self.reflectance = color, reflectance

    def hit(self, origin, direction):
        raise NotImplementedError


class Ball3(Surface):
    def __init__(self, center, radius, **kw):
        super().__init__(**kw)
        self.center, self.radius = center, radius

    def hit(self, origin, direction):
        oc = origin - self.center
        b = oc * direction
        disc = b * b - (oc * oc - self.radius ** 2)
        if disc < 0:
            return None
        t = -b - math.sqrt(disc)
        return t if t > 1e-6 else None

    def normal(self, p):
        return (p - self.center).unit()


class Floor(Surface):
    def __init__(self, height, **kw):
        super().__init__(**kw)
        self.height = height

    def hit(self, origin, direction):
        if direction.y >= 0:
            return None
        return (self.height - origin.y) / direction.y

    def normal(self, p):
        return Vec3(0.0, 1.0, 0.0)


class Renderer3:
    def __init__(self, surfaces, light, depth=2):
        self.surfaces, self.light, self.depth = surfaces, light, depth

    def nearest(self, origin, direction):
        best, where = None, math.inf
        for s in self.surfaces:
            t = s.hit(origin, direction)
            if t is not None and t < where:
                best, where = s, t
        return best, where

    def trace(self, origin, direction, depth=0):
        surface, t = self.nearest(origin, direction)
        if surface is None:
            return 0.1 + 0.2 * direction.y
        p = origin + t * direction
        n = surface.normal(p)
        to_light = self.light.position - p
        shade = surface.color * self.light.power * max(0.0, n * to_light.unit()) / (to_light * to_light)
        if surface.reflectance and depth < self.depth:
            reflected = direction - 2.0 * (direction * n) * n
            shade += surface.reflectance * self.trace(p + 1e-3 * n, reflected, depth + 1)
        return shade


@program(0.9, 20.0)
def reflections(radius, power):
    scene = [Ball3(Vec3(0.0, 0.0, 4.0), radius, color=0.8, reflectance=0.4), Floor(-1.5, color=0.5)]
    renderer = Renderer3(scene, Light(Vec3(2.0, 4.0, 0.0), power))
    total = 0.0
    for i in range(3):
        for j in range(2):
            total += renderer.trace(Vec3(), Vec3(0.2 * i - 0.15, 0.1 - 0.3 * j, 1.0).unit())
    return total


class Atoms:
    def __init__(self, positions, box):
        self.positions = positions
        self.velocities = np.zeros_like(positions)
        self.box = box
        self.neighbors = None

    def displacement(self, i, j):
        d = self.positions[i] - self.positions[j]
        return d - self.box * np.round(d / self.box)

    def build(self, cutoff):
        self.neighbors = [[j for j in range(len(self.positions)) if j != i and np.linalg.norm(self.displacement(i, j)) < cutoff]
                          for i in range(len(self.positions))]


class LennardJones:
    def __init__(self, epsilon, sigma):
        self.epsilon, self.sigma = epsilon, sigma

    def __call__(self, r2):
        s6 = (self.sigma ** 2 / r2) ** 3
        return 4 * self.epsilon * (s6 * s6 - s6), 24 * self.epsilon * (2 * s6 * s6 - s6) / r2


class Dynamics:
    def __init__(self, atoms, potential, dt):
        self.atoms, self.potential, self.dt = atoms, potential, dt
        self.energy = 0.0

    def forces(self):
        f = np.zeros_like(self.atoms.positions)
        self.energy = 0.0
        for i, near in enumerate(self.atoms.neighbors):
            for j in near:
                d = self.atoms.displacement(i, j)
                e, k = self.potential(d @ d)
                self.energy += 0.5 * e
                f[i] += k * d
        return f

    def run(self, steps):
        for k in range(steps):
            if k % 2 == 0:
                self.atoms.build(2.0)
            self.atoms.velocities += self.dt * self.forces()
            self.atoms.positions = self.atoms.positions + self.dt * self.atoms.velocities
        return self.energy


@program(np.array([[0.0, 0.0], [1.1, 0.1], [0.2, 1.2], [2.8, 2.9]]), 0.9)
def molecular_dynamics(positions, epsilon):
    atoms = Atoms(positions.copy(), 4.0)
    sim = Dynamics(atoms, LennardJones(epsilon, 1.0), 0.01)
    return sim.run(4) + np.sum(atoms.velocities ** 2)


class Mna:
    """Nodal analysis: components stamp a matrix."""

    def __init__(self, nodes):
        self.G, self.i = np.zeros((nodes, nodes)), np.zeros(nodes)
        self.components = []

    def add(self, component):
        self.components.append(component)
        return self

    def solve(self, v=None):
        self.G[:], self.i[:] = 0.0, 0.0
        for c in self.components:
            c.stamp(self, v)
        return np.linalg.solve(self.G, self.i)

    def conductance(self, a, b, g):
        for n, m, s in ((a, a, g), (b, b, g), (a, b, -g), (b, a, -g)):
            if n >= 0 and m >= 0:
                self.G[n, m] += s

    def current(self, a, b, i):
        if a >= 0:
            self.i[a] -= i
        if b >= 0:
            self.i[b] += i


class R:
    def __init__(self, a, b, ohms):
        self.a, self.b, self.ohms = a, b, ohms

    def stamp(self, net, v):
        net.conductance(self.a, self.b, 1.0 / self.ohms)


class I:
    def __init__(self, a, b, amps):
        self.a, self.b, self.amps = a, b, amps

    def stamp(self, net, v):
        net.current(self.a, self.b, self.amps)


class Diode:
    def __init__(self, a, b, saturation, thermal=0.5):
        self.a, self.b, self.saturation, self.thermal = a, b, saturation, thermal

    def stamp(self, net, v):
        u = (v[self.a] if self.a >= 0 else 0.0) - (v[self.b] if self.b >= 0 else 0.0)
        e = self.saturation * math.exp(u / self.thermal)
        g = e / self.thermal
        net.conductance(self.a, self.b, g)
        net.current(self.a, self.b, e - self.saturation - g * u)


@program(2.0, 0.5)
def diode_circuit(ohms, amps):
    net = Mna(2).add(R(0, 1, ohms)).add(I(-1, 0, amps)).add(Diode(1, -1, 0.05)).add(R(0, -1, 3.0))
    v = np.zeros(2)
    for _ in range(6):
        v = net.solve(v)
    return v[0] + 2.0 * v[1] ** 2


class Dimension:
    def __init__(self, **powers):
        self.powers = {k: p for k, p in powers.items() if p}

    def __mul__(self, o):
        keys = set(self.powers) | set(o.powers)
        return Dimension(**{k: self.powers.get(k, 0) + o.powers.get(k, 0) for k in keys})

    def __eq__(self, o):
        return self.powers == o.powers

    def __hash__(self):
        return hash(frozenset(self.powers.items()))


class Quantity2:
    def __init__(self, value, dim):
        self.value, self.dim = value, dim

    def __mul__(self, o):
        if not isinstance(o, Quantity2):
            return Quantity2(self.value * o, self.dim)
        return Quantity2(self.value * o.value, self.dim * o.dim)

    __rmul__ = __mul__

    def __add__(self, o):
        if self.dim != o.dim:
            raise TypeError("incompatible units")
        return Quantity2(self.value + o.value, self.dim)

    def __float__(self):
        return float(self.value)


METER, SECOND, KILOGRAM = Dimension(m=1), Dimension(s=1), Dimension(kg=1)
PER_SECOND = Dimension(s=-1)


@program(3.0, 2.0)
def dimensions(mass, speed):
    m = Quantity2(mass, KILOGRAM)
    v = Quantity2(speed, METER * PER_SECOND)
    energy = 0.5 * m * v * v
    total = energy + energy * 0.1
    try:
        total = total + m
    except TypeError:
        total = total * 2.0
    return float(total)


class RigidBody:
    def __init__(self, inertia, omega):
        self.inertia, self.omega = np.diag(inertia), omega
        self.q = np.array([1.0, 0.0, 0.0, 0.0])

    @property
    def momentum(self):
        return self.inertia @ self.omega

    @property
    def energy(self):
        return 0.5 * self.omega @ self.momentum

    def step(self, dt):
        self.omega = self.omega + dt * np.linalg.solve(self.inertia, np.cross(self.momentum, self.omega))
        w, v = self.q[0], self.q[1:]
        dq = 0.5 * np.concatenate([[-v @ self.omega], w * self.omega + np.cross(v, self.omega)])
        self.q = self.q + dt * dq
        self.q /= np.linalg.norm(self.q)


@program(np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.1, -0.3]))
def tumbling(inertia, omega):
    body = RigidBody(inertia, omega)
    for _ in range(5):
        body.step(0.1)
    return body.energy + body.q[1] * body.q[3]


class Mesh:
    def __init__(self, vertices, faces):
        self.vertices, self.faces = vertices, faces
        self._normals = None

    @property
    def normals(self):
        if self._normals is None:
            a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
            self._normals = np.cross(b - a, c - a)
        return self._normals

    def area(self):
        return 0.5 * np.linalg.norm(self.normals, axis=1).sum()

    def volume(self):
        return np.sum(self.vertices[self.faces[:, 0]] * self.normals) / 6.0

    def moved(self, f):
        other = copy.copy(self)
        other.vertices = f(self.vertices)
        other._normals = None
        return other


@program(np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 1.2, 0.1], [0.1, 0.0, 0.9]]))
def mesh_normals(v):
    mesh = Mesh(v, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    stretched = mesh.moved(lambda x: x * np.array([1.0, 2.0, 0.5]) + 0.1 * x ** 2)
    return mesh.area() + stretched.volume() + stretched.area() * mesh.volume()


class Layer1:
    def __init__(self, n, thickness):
        self.n, self.thickness = n, thickness

    def abcd(self):
        return np.array([[1.0, self.thickness / self.n], [0.0, 1.0]])


class ThinLens:
    def __init__(self, f):
        self.f = f

    def abcd(self):
        return np.array([[1.0, 0.0], [-1.0 / self.f, 1.0]])


class OpticalSystem(list):
    def abcd(self):
        return functools.reduce(lambda m, e: e.abcd() @ m, self, np.eye(2))

    @property
    def focal_length(self):
        return -1.0 / self.abcd()[1, 0]


@program(2.0, 1.5, 0.7)
def optics(f1, f2, gap):
    system = OpticalSystem([ThinLens(f1), Layer1(1.0, gap)])
    system.append(ThinLens(f2))
    system.insert(0, Layer1(1.5, gap * 0.1))
    return system.focal_length + len(system) * system.abcd()[0, 1]


@dataclass
class Planet:
    mass: float
    position: np.ndarray
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(2))

    def attract(self, other):
        d = other.position - self.position
        return d * (other.mass / np.sum(d ** 2) ** 1.5)


class SolarSystem:
    def __init__(self, *planets):
        self.planets = list(planets)

    def __getitem__(self, k):
        return self.planets[k]

    def leapfrog(self, dt):
        for p in self.planets:
            p.velocity = p.velocity + 0.5 * dt * sum(p.attract(q) for q in self.planets if q is not p)
        for p in self.planets:
            p.position = p.position + dt * p.velocity
        for p in self.planets:
            p.velocity = p.velocity + 0.5 * dt * sum(p.attract(q) for q in self.planets if q is not p)


@program(1.0, np.array([1.0, 0.0]), np.array([0.0, 0.9]))
def solar_system(mass, position, velocity):
    system = SolarSystem(Planet(mass, np.zeros(2)), Planet(0.1, position, velocity), Planet(0.05, 2.0 * position, velocity * 0.8))
    for _ in range(4):
        system.leapfrog(0.1)
    return float(system[1].position @ system[2].velocity) + system[0].position[0]


@dataclass(frozen=True)
class Gas:
    temperature: float
    volume: float
    moles: float = 1.0

    @property
    def pressure(self):
        return self.moles * 8.314 * self.temperature / self.volume

    def adiabatic(self, volume, gamma=1.4):
        return replace(self, temperature=self.temperature * (self.volume / volume) ** (gamma - 1), volume=volume)

    def isothermal(self, volume):
        return replace(self, volume=volume)


@program(3.0, 1.0)
def gas_cycle(t, v):
    states = [Gas(t, v)]
    for k, ratio in enumerate((2.0, 1.5, 0.4)):
        s = states[-1]
        states.append(s.adiabatic(s.volume * ratio) if k % 2 else s.isothermal(s.volume * ratio))
    return sum(0.5 * (a.pressure + b.pressure) * (b.volume - a.volume) for a, b in zip(states, states[1:]))


class Cloth:
    def __init__(self, n, stiffness):
        self.x = np.stack(np.meshgrid(np.arange(n) * 1.0, np.arange(n) * 1.0, indexing="ij"), axis=-1)
        self.v = np.zeros_like(self.x)
        self.pinned = np.zeros((n, n), bool)
        self.pinned[:, 0] = True
        self.stiffness = stiffness

    def force(self):
        f = np.zeros_like(self.x)
        f[..., 1] -= 0.5
        for axis in (0, 1):
            d = np.diff(self.x, axis=axis)
            length = np.sqrt(np.sum(d ** 2, axis=-1, keepdims=True))
            pull = self.stiffness * (length - 1.0) / length * d
            if axis == 0:
                f[:-1] += pull
                f[1:] -= pull
            else:
                f[:, :-1] += pull
                f[:, 1:] -= pull
        return f

    def step(self, dt):
        self.v += dt * self.force()
        self.v[self.pinned] = 0.0
        self.x += dt * self.v


@program(5.0)
def cloth(stiffness):
    sheet = Cloth(3, stiffness)
    for _ in range(5):
        sheet.step(0.1)
    return np.sum(sheet.x ** 2) + np.sum(sheet.v[..., 1])
