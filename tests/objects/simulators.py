"""Simulators, games, agents and environments."""
from __future__ import annotations

import collections
import copy
import dataclasses
import enum
import heapq
import math
import random

import numpy as np

from .registry import program


class CartPole:
    gravity = 9.8

    def __init__(self, masscart=1.0, masspole=0.1, length=0.5):
        self.masscart, self.masspole, self.length = masscart, masspole, length
        self.tau = 0.02
        self.state = None
        self.steps_beyond_terminated = None

    def reset(self):
        self.state = (0.01, -0.02, 0.03, 0.04)
        self.steps_beyond_terminated = None
        return np.array(self.state)

    def step(self, force):
        x, x_dot, theta, theta_dot = self.state
        cos, sin = math.cos(theta), math.sin(theta)
        total = self.masscart + self.masspole
        temp = (force + self.masspole * self.length * theta_dot ** 2 * sin) / total
        theta_acc = (self.gravity * sin - cos * temp) / (self.length * (4.0 / 3.0 - self.masspole * cos ** 2 / total))
        x_acc = temp - self.masspole * self.length * theta_acc * cos / total
        self.state = (x + self.tau * x_dot, x_dot + self.tau * x_acc, theta + self.tau * theta_dot, theta_dot + self.tau * theta_acc)
        terminated = bool(self.state[0] < -2.4 or self.state[0] > 2.4)
        if not terminated:
            reward = 1.0
        elif self.steps_beyond_terminated is None:
            self.steps_beyond_terminated = 0
            reward = 1.0
        else:
            self.steps_beyond_terminated += 1
            reward = 0.0
        return np.array(self.state), reward, terminated, {}


@program(1.5, 0.7)
def cartpole(force, gain):
    env = CartPole()
    obs = env.reset()
    total = 0.0
    for k in range(12):
        obs, reward, done, info = env.step(force - gain * obs[2])
        total += reward * obs[0] ** 2 + obs[2] ** 2
        if done:
            break
    return total


@program(1.5, 0.7, given=lambda: [CartPole()])
def cartpole_passed(force, gain, env):
    obs = env.reset()
    total = 0.0
    for k in range(8):
        obs, reward, done, info = env.step(force - gain * obs[2])
        total += reward * obs[0] ** 2 + obs[2] ** 2
    return total


class Bank:
    def __init__(self):
        self.accounts = {}
        self.log = []

    def open(self, name, amount):
        self.accounts[name] = amount
        self.log.append(("open", name))

    def transfer(self, a, b, amount):
        if self.accounts[a] < amount:
            raise ValueError("insufficient funds")
        self.accounts[a] -= amount
        self.accounts[b] += amount
        self.log.append(("transfer", a, b))


@program(10.0, 3.0)
def bank(start, amount):
    b = Bank()
    b.open("ann", start)
    b.open("bob", 2.0)
    b.transfer("ann", "bob", amount)
    try:
        b.transfer("bob", "ann", 100.0 * amount)
    except ValueError:
        b.open("eve", start * amount)
    return b.accounts["ann"] * b.accounts["bob"] + sum(b.accounts.values())


@dataclasses.dataclass(order=True)
class Event:
    time: float
    amount: float = dataclasses.field(compare=False)


@program(1.2, 0.4)
def event_heap(rate, size):
    queue = []
    for k in range(4):
        heapq.heappush(queue, Event(rate * (k % 3) + 0.1 * k, size * (k + 1)))
    total = 0.0
    while queue:
        event = heapq.heappop(queue)
        total += math.exp(-event.time) * event.amount
        if event.time < 1.5:
            heapq.heappush(queue, Event(event.time + 1.1 * rate, 0.5 * event.amount))
    return total


class Customer:
    def __init__(self, arrival, service):
        self.arrival = arrival
        self.service = service
        self.wait = 0.0


@program(0.8, 1.1)
def single_server(gap, service):
    waiting = collections.deque()
    for k in range(6):
        waiting.append(Customer(k * gap, service * (1 + 0.1 * k)))
    clock, served = 0.0, []
    while waiting:
        customer = waiting.popleft()
        clock = max(clock, customer.arrival)
        customer.wait = clock - customer.arrival
        clock += customer.service
        served.append(customer)
    return sum(c.wait for c in served) / len(served)


class Particle:
    def __init__(self, pos, vel, mass=1.0):
        self.pos, self.vel, self.mass = np.array(pos, dtype=float), np.array(vel, dtype=float), mass
        self.force = np.zeros(2)


class World:
    def __init__(self):
        self.particles = []

    def add(self, p):
        self.particles.append(p)
        return p

    def step(self, dt, stiffness):
        for p in self.particles:
            p.force = np.zeros(2)
        for i, a in enumerate(self.particles):
            for b in self.particles[i + 1:]:
                d = b.pos - a.pos
                r = np.sqrt(d @ d + 0.01)
                if r < 2.0:
                    f = stiffness * (r - 1.0) * d / r
                    a.force += f
                    b.force -= f
        for p in self.particles:
            p.vel = p.vel + dt * p.force / p.mass
            p.pos = p.pos + dt * p.vel

    def energy(self):
        return sum(0.5 * p.mass * (p.vel @ p.vel) for p in self.particles)


@program(1.3, 0.2)
def spring_particles(stiffness, speed):
    world = World()
    for k in range(4):
        world.add(Particle([0.8 * k, 0.1 * k * k], [speed, -0.1 * k], 1.0 + 0.5 * k))
    for _ in range(5):
        world.step(0.05, stiffness)
    return world.energy()


@program(1.3, 0.2)
def particles_by_size(stiffness, speed):
    world = World()
    n = 3 if speed > 0 else 5
    for k in range(n):
        world.add(Particle([0.8 * k, 0.1 * k * k], [speed, -0.1 * k], 1.0 + 0.5 * k))
    for _ in range(3):
        world.step(0.05, stiffness)
    return world.energy()


class Cell:
    def __init__(self, value):
        self.value = value
        self.neighbors = []


@program(0.7, 0.1)
def grid_of_cells(heat, rate):
    cells = {(i, j): Cell(heat if i == j else 0.0) for i in range(3) for j in range(3)}
    for (i, j), cell in cells.items():
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            if (i + di, j + dj) in cells:
                cell.neighbors.append(cells[i + di, j + dj])
    for _ in range(3):
        new = {}
        for key, cell in cells.items():
            new[key] = cell.value + rate * sum(n.value - cell.value for n in cell.neighbors)
        for key, v in new.items():
            cells[key].value = v
    return cells[0, 1].value + 2.0 * cells[2, 2].value ** 2


class State(enum.Enum):
    IDLE = 0
    HEATING = 1
    COOLING = 2

    def power(self, p):
        return {State.IDLE: 0.0, State.HEATING: p, State.COOLING: -0.5 * p}[self]


class Thermostat:
    def __init__(self, low, high):
        self.low, self.high = low, high
        self.state = State.IDLE

    def update(self, temperature):
        if temperature < self.low:
            self.state = State.HEATING
        elif temperature > self.high:
            self.state = State.COOLING
        elif self.state is State.HEATING and temperature > 0.5 * (self.low + self.high):
            self.state = State.IDLE
        return self.state


@program(3.0, 15.0)
def thermostat(power, start):
    control = Thermostat(18.0, 22.0)
    temperature, total = start, 0.0
    for _ in range(15):
        state = control.update(temperature)
        temperature += 0.3 * state.power(power) - 0.05 * (temperature - 10.0)
        total += temperature ** 2
    return total


@program(3.0, 15.0, given=lambda: [Thermostat(18.0, 22.0)])
def thermostat_passed(power, start, control):
    temperature, total = start, 0.0
    for _ in range(15):
        temperature += 0.3 * control.update(temperature).power(power) - 0.05 * (temperature - 10.0)
        total += temperature ** 2
    return total


class Agent:
    registry: list[Agent] = []

    def __init__(self, wealth):
        self.wealth = wealth
        self.history = [wealth]

    def trade(self, other, fraction):
        amount = fraction * min(self.wealth, other.wealth)
        self.wealth -= amount
        other.wealth += amount
        self.history.append(self.wealth)


@program(0.1, 2.0)
def trading_agents(fraction, start):
    agents = [Agent(start + k) for k in range(5)]
    for step in range(6):
        i = (step * 3) % 5
        agents[i].trade(agents[(i + 2) % 5], fraction)
    mean = sum(a.wealth for a in agents) / len(agents)
    return sum((a.wealth - mean) ** 2 for a in agents) + agents[0].history[-1]


class Simulation:
    def __init__(self, dt):
        self.dt = dt
        self.time = 0.0
        self.callbacks = []
        self.trace = []

    def every(self, callback):
        self.callbacks.append(callback)
        return callback

    def run(self, y, steps):
        for _ in range(steps):
            for c in self.callbacks:
                y = c(self.time, y, self.dt)
            self.time += self.dt
            self.trace.append(y)
        return y


@program(0.9, 1.5)
def callbacks(k, y0):
    sim = Simulation(0.1)
    sim.every(lambda t, y, dt: y - dt * k * y)

    @sim.every
    def push(t, y, dt):
        return y + dt * math.sin(t)
    y = sim.run(y0, 6)
    return y + sum(sim.trace) * 0.1


class Ball:
    def __init__(self, h, v):
        self.h, self.v = h, v
        self.bounces = 0

    def advance(self, dt, loss):
        self.v -= 9.81 * dt
        self.h += self.v * dt
        if self.h < 0:
            self.h = -self.h
            self.v = -loss * self.v
            self.bounces += 1


@program(1.0, 0.8)
def bouncing_ball(h, loss):
    ball = Ball(h, 0.0)
    while ball.bounces < 2:
        ball.advance(0.02, loss)
    return ball.h + ball.v ** 2


@program(1.0, 0.8, given=lambda: [Ball(1.5, 0.2)])
def ball_kept(h, loss, ball):
    ball.h = 0.5 * ball.h + 0.1 * h
    for _ in range(10):
        ball.advance(0.02, loss)
    return ball.h * ball.v


class GridWorld:
    moves = {"n": (0, 1), "s": (0, -1), "e": (1, 0), "w": (-1, 0)}

    def __init__(self, reward):
        self.reward = reward
        self.pos = (0, 0)
        self.visits = collections.Counter()

    def step(self, move):
        dx, dy = self.moves[move]
        self.pos = (self.pos[0] + dx, self.pos[1] + dy)
        self.visits[self.pos] += 1
        return self.reward / self.visits[self.pos]


@program(2.0, 0.9)
def grid_world(reward, gamma):
    env = GridWorld(reward)
    total, discount = 0.0, 1.0
    for move in "nnesswnees":
        total += discount * env.step(move)
        discount *= gamma
    return total


class QTable:
    def __init__(self, alpha, gamma):
        self.alpha, self.gamma = alpha, gamma
        self.q = collections.defaultdict(float)

    def update(self, s, a, r, s2):
        best = max(self.q[s2, b] for b in range(2))
        self.q[s, a] += self.alpha * (r + self.gamma * best - self.q[s, a])


@program(0.3, 0.9)
def q_learning(alpha, gamma):
    table = QTable(alpha, gamma)
    s = 0
    for k in range(12):
        a = (k * 7 + s) % 2
        s2 = (s + 1 + a) % 4
        table.update(s, a, 1.0 if s2 == 3 else -0.1, s2)
        s = s2
    return sum(table.q.values()) + table.q[2, 1] ** 2


class Predator:
    def __init__(self, x, energy):
        self.x, self.energy, self.alive = x, energy, True

    def live(self, cost):
        self.energy -= cost
        if self.energy <= 0:
            self.alive = False


@program(0.35, 1.2)
def population(cost, energy):
    animals = [Predator(0.1 * k, energy + 0.3 * k) for k in range(4)]
    total = 0.0
    for _ in range(5):
        for a in animals:
            a.live(cost)
        animals = [a for a in animals if a.alive]
        total += sum(a.energy for a in animals)
        if len(animals) < 4:
            animals.append(Predator(1.0, 0.8 * energy))
    return total


class Snapshot:
    def __init__(self, model):
        self.saved = copy.deepcopy(model.__dict__)


class Pool:
    def __init__(self, level):
        self.level = level
        self.rates = [0.1, 0.2]

    def drain(self, k):
        self.level -= self.rates[k % 2] * self.level


@program(2.0)
def rollback(level):
    pool = Pool(level)
    pool.drain(0)
    saved = copy.deepcopy(pool)
    pool.drain(1)
    pool.rates[0] = 0.9
    a = pool.level
    pool = saved
    pool.drain(0)
    return a * pool.level


class Dice:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def roll(self):
        return self.rng.randint(1, 6)


@program(0.5)
def dice_game(bet):
    dice = Dice(3)
    money = 10.0
    for _ in range(8):
        money += bet * (dice.roll() - 3.5) * math.sqrt(money)
    return money


class Elevator:
    def __init__(self):
        self.floor, self.energy, self.queue = 0, 0.0, []

    def call(self, floor):
        self.queue.append(floor)
        return self

    def run(self, cost):
        while self.queue:
            target = self.queue.pop(0)
            self.energy += cost * abs(target - self.floor) ** 1.5
            self.floor = target
        return self


@program(0.4)
def elevator(cost):
    lift = Elevator()
    lift.call(3).call(1).call(5).run(cost).call(0).run(2 * cost)
    return lift.energy


class Robot:
    __slots__ = ("x", "y", "heading", "path")

    def __init__(self):
        self.x = self.y = self.heading = 0.0
        self.path = []

    def turn(self, angle):
        self.heading += angle

    def forward(self, d):
        self.x += d * math.cos(self.heading)
        self.y += d * math.sin(self.heading)
        self.path.append((self.x, self.y))


@program(0.4, 1.2)
def turtle(angle, d):
    robot = Robot()
    program_ = [("turn", angle), ("forward", d), ("turn", -2 * angle), ("forward", 0.5 * d), ("forward", d)]
    for name, amount in program_:
        getattr(robot, name)(amount)
    return sum(math.hypot(x, y) for x, y in robot.path)


@program(0.4, 1.2, given=lambda: [Robot()])
def turtle_passed(angle, d, robot):
    robot.turn(angle)
    robot.forward(d)
    robot.turn(-2 * angle)
    robot.forward(0.5 * d)
    return robot.x * robot.y + robot.heading


class Scheduler:
    def __init__(self):
        self.now = 0.0
        self.heap = []
        self.count = 0

    def schedule(self, delay, action):
        self.count += 1
        heapq.heappush(self.heap, (self.now + delay, self.count, action))

    def run(self, until):
        while self.heap:
            t, _, action = heapq.heappop(self.heap)
            if t > until:
                break
            self.now = t
            action()


class Tank:
    def __init__(self, sched, rate):
        self.sched, self.rate, self.level = sched, rate, 1.0

    def fill(self):
        self.level += self.rate * self.sched.now
        self.sched.schedule(0.7, self.fill)


@program(0.3)
def event_loop(rate):
    sched = Scheduler()
    tank = Tank(sched, rate)
    sched.schedule(0.5, tank.fill)
    sched.run(3.0)
    return tank.level ** 2
