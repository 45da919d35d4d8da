"""Lists of arrays whose items get into other containers, or under other names, and are written to."""
import textwrap

import numpy as np
import pytest

import transgrad as tg
from tests.random_programs.oracle import compile_text

from .by_differences import check

#: what is done to a list of arrays ``q``, all of whose items are summed up afterwards
BODIES = {
    "copy": "a=list(q)\na[0]*=x",
    "copy2": "a=q.copy()\nfor r in a: r*=x",
    "copy3": "a=q[1:]\na[0]*=x",
    "copy4": "a=q[::-1]\nfor r in a: r*=x",
    "add": "a=q+q\na[0]*=x\na[7]*=x",
    "mul": "a=q*2\na[7]*=x",
    "sorted_": "a=sorted(q,key=lambda r:-r[0])\na[0]*=x",
    "rev": "for r in reversed(q): r*=x",
    "rev2": "a=list(reversed(q))\na[0]*=x",
    "comp": "a=[r for r in q]\na[1]*=x",
    "comp2": "a=[r for r in q if r[0]>0.5]\nfor r in a: r*=x",
    "dic": "a={k:r for k,r in enumerate(q)}\na[1]*=x",
    "dic2": "a={}\nfor k,r in enumerate(q): a[k]=r\nfor r in a.values(): r*=x",
    "pair": "a=list(zip(q,q[1:]))\nfor u,v in a: v+=u*u",
    "pair2": "for u,v in zip(q,q[1:]): v+=u*u",
    "pair3": "a=[(q[i],q[i+1]) for i in range(len(q)-1)]\nfor u,v in a: v+=u*u",
    "pair4": "a=[(q[i],i) for i in range(len(q)-1)]\nu,i=a[2]\nu*=x*i",
    "pair5": "a=[(q[i],i) for i in range(len(q)-1)]\na[2][0][:]*=x",
    "rec": 'a=[{"v":q[i],"w":x[0]*i} for i in range(len(q)-1)]\nfor n in a: n["v"]*=x*n["w"]',
    "top": "top=q[0]\nfor r in q:\n    if r[0]>0.5: top=r\ntop*=x",
    "top2": "top=q[0] if x[0]>0.1 else q[1]\ntop*=x",
    "top3": "top=q[0]\nfor r in q: top=r\ntop*=x",
    "top4": "top=q[0]\nk=0\nwhile k<3:\n    k+=1\n    top=q[k]\ntop*=x",
    "top5": "a=q[0]\nb=q[1]\ntop=a if x[0]>0.1 else b\ntop*=x",
    "top6": "for k in range(3):\n    top=q[k] if x[0]>0.1 else q[k+1]\n    top*=x",
    "top7": "u=x*3.0\nv=x*4.0\nw=[u,v]\ntop=u if x[0]>0.1 else v\ntop*=x\nq=w",
    "top8": "best=0\nfor k in range(len(q)):\n    if q[k][0]>q[best][0]: best=k\nq[best]*=x",
    "swap": "q[0],q[1]=q[1],q[0]\nq[0]*=x",
    "swap2": "t=q[0]\nq[0]=q[2]\nq[2]=t\nq[0]*=x\nt*=x",
    "share": "q[0]=q[1]\nq[0]*=x",
    "share2": "q.append(q[0])\nq[-1]*=x",
    "share3": "q.insert(0,q[-1])\nq[0]*=x",
    "share4": "q.extend(q[:2])\nq[-1]*=x",
    "share5": "q+=q[:2]\nq[-1]*=x",
    "pop": "r=q.pop()\nr*=x\nq.append(r)",
    "pop2": "r=q.pop(0)\nq.append(r)\nq[-1]*=x\nr*=x",
    "nest": "g=[q,q]\ng[0][1]*=x\ng[1][1]*=x",
    "nest2": "g=[q[:2],q[2:]]\ng[0][1]*=x",
    "nest3": "g=[]\nfor r in q: g.append([r,r*2])\nfor u in g: u[0]*=x",
    "nest4": "g=[]\nfor r in q: g.append((r,r*2))\nfor u in g: u[0][:]*=x",
    "tup": "a=tuple(q)\na[0][:]*=x",
    "un": "a,*b=q\na*=x\nb[0]*=x",
    "un2": "a,b=q[:2]\na*=b",
    "filt": "a=[r for k,r in enumerate(q) if k%2]\na[0]*=x",
    "mn": "m=min(q,key=lambda r:abs(r[0]-0.6))\nm*=x",
    "nxt": "m=next(r for r in q if r[0]>0.5)\nm*=x",
    "sel": "idx=[2,0,1]\na=[q[i] for i in idx]\na[0]*=x\na[1]*=x",
    "items": 'd={"a":q[0],"b":q[1]}\nfor k,v in d.items(): v*=x',
    "items2": 'd=dict(zip(["a","b"],q))\nd["b"]*=x',
    "upd": 'd={}\nd.update({"a":q[0]})\nd["a"]*=x',
    "setd": "d={}\nfor k in range(3):\n    d.setdefault(k%2,q[k])\nd[0]*=x",
    "get": 'd={"a":q[0]}\nr=d.get("a",q[1])\nr*=x',
    "acc": "c=q[0]\nfor r in q[1:]:\n    r+=c\n    c=r",
    "acc2": "c=q[0]\nfor k in range(1,len(q)):\n    q[k]+=c\n    c=q[k]",
    "acc3": "prev=None\nfor r in q:\n    if prev is not None: r+=prev*x\n    prev=r",
    "slice_": "q[1:3]=q[3:5]\nq[1]*=x",
    "delq": "r=q[0]\ndel q[0]\nr*=x\nq.append(r)",
}
PROGRAM = """def program(x):
    q = []
    for k in range(len(x) + 3):
        q.append(x * (k + 1))
%s
    s = 0.0
    for k, r in enumerate(q):
        s += np.sum(r * r) * (k + 1)
    return s
"""
X = np.array([0.3, 0.7, 1.1])




@pytest.mark.parametrize("name", BODIES)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_lists(name):
    f = compile_text(PROGRAM % textwrap.indent(BODIES[name], "    "), f"a list of arrays, {name}", {"np": np})
    check(f, 0.3 * X)
    g, batch = tg.grad(f), 0.3 * np.stack([X, 1.1 * X])
    np.testing.assert_allclose(tg.vmap(g)(batch), [g(x) for x in batch])


@pytest.mark.parametrize("name", ["mul", "pair4", "top", "acc2", "nest3"])
def test_second_derivatives(name):
    f = compile_text(PROGRAM % textwrap.indent(BODIES[name], "    "), f"a list of arrays twice, {name}", {"np": np})
    x, v, e = 0.3 * X, np.array([1.0, 0.5, -0.3]), 1e-5
    g = tg.grad(f)
    np.testing.assert_allclose(tg.hvp(f, (x,), (v,))[0], (g(x + e * v) - g(x - e * v)) / (2 * e), rtol=1e-5, atol=1e-7)
