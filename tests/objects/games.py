"""Games, agents, environments, event queues and state machines."""
from __future__ import annotations

import heapq
import itertools
import math
from collections import defaultdict, deque
from dataclasses import dataclass, field
from enum import Enum, auto

import numpy as np

from .registry import program


class Env:
    """A pendulum in the manner of a reinforcement-learning environment."""

    def __init__(self, g=9.8, dt=0.05):
        self.g, self.dt = g, dt
        self.state = None

    def reset(self, theta=0.3):
        self.state = np.array([theta, 0.0])
        return self.state

    def step(self, torque):
        th, om = self.state
        om = om + (self.g * np.sin(th) + torque) * self.dt
        self.state = np.array([th + om * self.dt, om])
        reward = -(th ** 2 + 0.1 * om ** 2 + 0.001 * torque ** 2)
        return self.state, reward, abs(th) > 2.0, {}


class LinearPolicy:
    def __init__(self, weights):
        self.weights = weights

    def __call__(self, obs):
        return float(self.weights @ obs)


class Wrapper:
    def __init__(self, env):
        self.env = env

    def __getattr__(self, name):
        return getattr(self.env, name)

    def step(self, action):
        obs, reward, done, info = self.env.step(self.action(action))
        return obs, self.reward(reward), done, info

    def action(self, action):
        return action

    def reward(self, reward):
        return reward


class ScaledReward(Wrapper):
    def reward(self, reward):
        return 0.1 * reward


class ClippedAction(Wrapper):
    def action(self, action):
        return min(max(action, -5.0), 5.0)


@program(np.array([-8.0, -2.0]))
def wrapped_pendulum(w):
    env = ScaledReward(ClippedAction(Env()))
    policy = LinearPolicy(w)
    obs, total = env.reset(), 0.0
    for _ in range(10):
        obs, reward, done, _ = env.step(policy(obs))
        total += reward
        if done:
            break
    return total


@program(np.array([-8.0, -2.0]), given=lambda: [Env()])
def pendulum_passed(w, env):
    obs = env.reset(0.2)
    total = 0.0
    while not total < -0.2:
        obs, reward, done, info = env.step(w @ obs)
        total += reward
    return total


class Phase(Enum):
    COUNTDOWN = auto()
    BURN = auto()
    COAST = auto()


class Lander:
    def __init__(self, thrust):
        self.thrust = thrust
        self.phase = Phase.COUNTDOWN
        self.t, self.v, self.h, self.fuel = 0.0, 0.0, 100.0, 1.0
        self.handlers = {Phase.COUNTDOWN: self.countdown, Phase.BURN: self.burn, Phase.COAST: self.coast}

    def countdown(self, dt):
        if self.t > 0.2:
            self.phase = Phase.BURN

    def burn(self, dt):
        self.v += (self.thrust - 1.62) * dt
        self.fuel -= 0.4 * dt
        if self.fuel < 0.7:
            self.phase = Phase.COAST

    def coast(self, dt):
        self.v -= 1.62 * dt

    def step(self, dt):
        self.handlers[self.phase](dt)
        self.h += self.v * dt
        self.t += dt


@program(3.0)
def lander_phases(thrust):
    lander = Lander(thrust)
    for _ in range(20):
        lander.step(0.1)
    return lander.h + lander.v ** 2


@dataclass(order=True)
class Timed:
    time: float
    name: str = field(compare=False)
    payload: float = field(compare=False, default=0.0)


class EventQueue:
    def __init__(self):
        self._heap = []
        self.now = 0.0
        self.handlers = defaultdict(list)

    def on(self, name):
        def register(handler):
            self.handlers[name].append(handler)
            return handler
        return register

    def at(self, delay, name, payload=0.0):
        heapq.heappush(self._heap, Timed(self.now + delay, name, payload))

    def run(self, until):
        while self._heap and self._heap[0].time < until:
            event = heapq.heappop(self._heap)
            self.now = event.time
            for handler in self.handlers[event.name]:
                handler(event)


@program(0.7, 1.3)
def registered_handlers(gap, gain):
    queue, level = EventQueue(), [0.0]

    @queue.on("arrive")
    def arrive(event):
        level[0] += event.payload * gain
        queue.at(gap, "arrive", event.payload * 0.8)

    @queue.on("leave")
    def leave(event):
        level[0] *= 0.5
        queue.at(2.1 * gap, "leave")

    queue.at(0.0, "arrive", 1.0)
    queue.at(0.3, "leave")
    queue.run(3.0)
    return level[0] + queue.now


class Unit:
    def __init__(self, name, hp, attack, armor=0.0):
        self.name, self.hp, self.attack, self.armor = name, hp, attack, armor

    @property
    def alive(self):
        return self.hp > 0

    def hit(self, other):
        other.hp -= max(self.attack - other.armor, 0.1)


class Archer(Unit):
    def hit(self, other):
        super().hit(other)
        self.attack *= 1.1


class Battle:
    def __init__(self, red, blue):
        self.red, self.blue = red, blue
        self.rounds = 0

    def fight(self):
        while any(u.alive for u in self.red) and any(u.alive for u in self.blue):
            self.rounds += 1
            for attackers, defenders in ((self.red, self.blue), (self.blue, self.red)):
                for unit in attackers:
                    target = next((d for d in defenders if d.alive), None)
                    if unit.alive and target is not None:
                        unit.hit(target)
        return sum(u.hp for u in self.red if u.alive), sum(u.hp for u in self.blue if u.alive)


@program(1.7, 0.4)
def battle(attack, armor):
    red = [Unit("a", 5.0, attack), Archer("b", 3.0, attack * 0.5)]
    blue = [Unit("c", 4.0, 1.0, armor), Unit("d", 3.0, 1.5)]
    left, right = Battle(red, blue).fight()
    return left - right + 0.1 * red[1].attack


class Cannon:
    def __init__(self, drag):
        self.drag = drag
        self.shots = []

    def fire(self, speed, angle, dt=0.05):
        x = y = 0.0
        vx, vy = speed * math.cos(angle), speed * math.sin(angle)
        while True:
            px, py = x, y
            v = math.hypot(vx, vy)
            vx -= self.drag * v * vx * dt
            vy -= (9.81 + self.drag * v * vy) * dt
            x, y = x + vx * dt, y + vy * dt
            if y < 0:
                break
        self.shots.append(px - py * (x - px) / (y - py))
        return self.shots[-1]


@program(8.0, 0.9)
def cannon(speed, angle):
    cannon = Cannon(0.02)
    cannon.fire(speed, angle)
    cannon.fire(speed * 1.05, angle)
    return 2.0 * cannon.shots[1] - cannon.shots[0]


class Player:
    def __init__(self, strategy):
        self.strategy = strategy
        self.score = 0.0
        self.history = []

    def move(self, other):
        return self.strategy(self.history, other.history)


def tit_for_tat(mine, theirs):
    return theirs[-1] if theirs else 1.0


class Forgiving:
    def __init__(self, rate):
        self.rate = rate

    def __call__(self, mine, theirs):
        if not theirs:
            return 0.6
        return (1.0 - self.rate) * theirs[-1] + self.rate


@program(0.3, 2.5)
def prisoners(rate, temptation):
    players = [Player(tit_for_tat), Player(Forgiving(rate)), Player(lambda mine, theirs: 0.2)]
    for a, b in itertools.combinations(players, 2):
        a.history, b.history = [], []
        for _ in range(4):
            ma, mb = a.move(b), b.move(a)
            a.score += 2.0 * ma * mb + temptation * (1 - ma) * mb
            b.score += 2.0 * ma * mb + temptation * (1 - mb) * ma
            a.history.append(ma)
            b.history.append(mb)
    return sum(p.score * (k + 1) for k, p in enumerate(players))


class Snake:
    MOVES = {"L": (-1, 0), "R": (1, 0), "U": (0, 1), "D": (0, -1)}

    def __init__(self, energy):
        self.body = deque([(0, 0)])
        self.energy = energy
        self.eaten = 0

    def move(self, direction, food):
        dx, dy = self.MOVES[direction]
        x, y = self.body[0]
        head = (x + dx, y + dy)
        if head in self.body:
            raise RuntimeError("bitten")
        self.body.appendleft(head)
        if head in food:
            self.energy += food.pop(head)
            self.eaten += 1
        else:
            self.body.pop()
        self.energy *= 0.95


@program(1.0, 0.4)
def snake(energy, bite):
    snake = Snake(energy)
    food = {(1, 0): bite, (1, 1): bite * 2.0, (0, 1): energy * 0.1}
    try:
        for direction in "RULDRU":
            snake.move(direction, food)
    except RuntimeError:
        snake.energy *= 0.5
    return snake.energy + snake.eaten * bite


class Tax:
    def __init__(self, brackets):
        self.brackets = brackets

    def __call__(self, income):
        due, lower = 0.0, 0.0
        for upper, rate in self.brackets:
            if income <= lower:
                break
            due += (min(income, upper) - lower) * rate
            lower = upper
        return due


class Household:
    def __init__(self, income, saving_rate):
        self.income, self.saving_rate, self.wealth = income, saving_rate, 0.0

    def year(self, tax, interest):
        gross = self.income + interest * self.wealth
        net = gross - tax(gross)
        self.wealth += self.saving_rate * net
        self.income *= 1.02


@program(0.2, 0.35, 0.05)
def economy(low, high, interest):
    tax = Tax([(1.0, low), (3.0, high), (math.inf, 0.5)])
    households = [Household(i, 0.1 + 0.05 * i) for i in (0.8, 2.0, 4.5)]
    for _ in range(4):
        for h in households:
            h.year(tax, interest)
    wealth = np.array([h.wealth for h in households])
    return wealth.sum() - np.abs(wealth[:, None] - wealth[None, :]).mean()


class Node4:
    def __init__(self, state, parent=None, prior=1.0):
        self.state, self.parent, self.prior = state, parent, prior
        self.children = {}
        self.visits, self.value_sum = 0, 0.0

    def expand(self, moves):
        for move, prior in moves:
            self.children[move] = Node4(self.state + move, self, prior)

    def select(self, c):
        return max(self.children.values(), key=lambda n: n.score(c))

    def score(self, c):
        q = self.value_sum / self.visits if self.visits else 0.0
        return q + c * self.prior * math.sqrt(self.parent.visits) / (1 + self.visits)

    def backup(self, value):
        node = self
        while node is not None:
            node.visits += 1
            node.value_sum += value
            node, value = node.parent, 0.9 * value


@program(1.2, 0.6)
def tree_search(c, prior):
    root = Node4(0.5)
    root.expand([(1.0, prior), (-0.7, 1 - prior)])
    for _ in range(6):
        node = root
        while node.children:
            node = node.select(c)
        if node.visits:
            node.expand([(0.5, prior), (-0.5, 1 - prior)])
        node.backup(math.sin(node.state) * prior + c * 0.1)
    return root.value_sum / root.visits + sum(n.score(c) for n in root.children.values())


class Conveyor:
    def __init__(self, stages):
        self.stages = stages
        self.slots = [None] * len(stages)
        self.out = []

    def tick(self, item=None):
        last = self.slots[-1]
        if last is not None:
            self.out.append(last)
        for k in range(len(self.slots) - 1, 0, -1):
            moved = self.slots[k - 1]
            self.slots[k] = None if moved is None else self.stages[k](moved)
        self.slots[0] = None if item is None else self.stages[0](item)


@program(0.8, 1.5)
def conveyor(a, b):
    belt = Conveyor([lambda v: v * a, math.tanh, lambda v: v + b])
    for item in (1.0, None, b, 2.0, None, None, None):
        belt.tick(item)
    return sum(v * (k + 1) for k, v in enumerate(belt.out))


class Market:
    def __init__(self, price):
        self.price, self.subscribers = price, []

    def subscribe(self, callback):
        self.subscribers.append(callback)
        return lambda: self.subscribers.remove(callback)

    def move(self, change):
        old, self.price = self.price, self.price * (1 + change)
        for callback in list(self.subscribers):
            callback(old, self.price)


class Trader:
    def __init__(self, cash, sensitivity):
        self.cash, self.shares, self.sensitivity = cash, 0.0, sensitivity

    def on_price(self, old, new):
        order = self.sensitivity * (new - old) / old
        self.shares += order
        self.cash -= order * new

    def worth(self, market):
        return self.cash + self.shares * market.price


@program(2.0, 0.05)
def market_callbacks(sensitivity, change):
    market = Market(10.0)
    one, two = Trader(5.0, sensitivity), Trader(5.0, -0.5 * sensitivity)
    stop = market.subscribe(one.on_price)
    market.subscribe(two.on_price)
    for k in range(5):
        market.move(change * (-1) ** k + 0.01)
        if k == 2:
            stop()
    return one.worth(market) * two.worth(market)
