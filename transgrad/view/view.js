"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const main = document.querySelector("main"), inspector = document.getElementById("inspector");
  const partners = new Map(), parts = new Map();
  for (const [own, other, part] of data.pairs) {
    for (const [a, b] of [[own, other], [other, own]]) {
      if (!partners.has(a)) partners.set(a, []);
      partners.get(a).push(b);
    }
    parts.set(own, part);
  }
  const element = id => document.getElementById(id);
  const lines = side => [...document.querySelectorAll(`#${side} .line`)];
  const sideOf = line => line.closest(".side").id;
  const otherSide = side => side === "function" ? "derivative" : "function";
  let selected = null, kept = false, path = -1;

  // the lines that belong to the statement of a line: its partners, and all of the derivative that shares them
  function groupOf(id) {
    const found = new Set(partners.get(id) || []);
    if (id.startsWith("d-")) for (const own of [...found]) for (const other of partners.get(own) || []) found.add(other);
    found.delete(id);
    return found;
  }

  function select(line, focus) {
    for (const old of document.querySelectorAll(".here, .pair")) old.classList.remove("here", "pair");
    selected = line;
    if (!line) { inspector.innerHTML = '<p class="hint">Point at a line, tap it, or move with the arrow keys.</p>'; return; }
    line.classList.add("here");
    for (const id of groupOf(line.id)) element(id).classList.add("pair");
    if (focus) { line.focus({preventScroll: true}); line.scrollIntoView({block: "nearest"}); }
    if (focus && !narrow()) {
      const other = (partners.get(line.id) || [])[0];
      if (other) element(other).scrollIntoView({block: "nearest"});
    }
    inspect(line);
  }

  const names = {primal: "forward part", adjoint: "reverse sweep", tangent: "tangent"};
  const text = line => line.querySelector("code").textContent.trim();
  const numberOf = line => line.querySelector(".no").textContent;

  function inspect(line) {
    const out = [], own = data.values[line.id];
    const head = document.createElement("p");
    head.innerHTML = `<span class="what">${line.id.startsWith("d-") ? "Derivative" : "Function"}, line ${numberOf(line)}` +
      `${parts.has(line.id) ? ", " + names[parts.get(line.id)] : ""}${own ? `, runs ${own.count === 1 ? "once" : own.count + " times"}` : ""}` +
      `${own && own.time ? `, ${own.time}, ${own.memory}` : ""}</span>`;
    out.push(head);
    const groups = document.createElement("div");
    groups.className = "groups";
    const others = (partners.get(line.id) || []).filter(id => !text(element(id)).startsWith("#"));
    for (const part of line.id.startsWith("d-") ? [null] : ["primal", "adjoint", "tangent"]) {
      const own = part === null ? others : others.filter(id => parts.get(id) === part);
      if (!own.length) continue;
      const group = document.createElement("div"), label = document.createElement("p"), code = document.createElement("pre");
      label.className = "what";
      label.textContent = part === null ? "Belongs to" : names[part][0].toUpperCase() + names[part].slice(1);
      code.textContent = own.map(id => text(element(id))).join("\n");
      group.append(label, code);
      groups.append(group);
    }
    if (groups.childNodes.length) out.push(groups);
    if (own && Object.keys(own.values).length) {
      const list = document.createElement("ul");
      for (const [name, value] of Object.entries(own.values)) {
        const item = document.createElement("li"), code = document.createElement("code"), what = document.createElement("span");
        code.textContent = name; what.textContent = " " + value; what.className = "what";
        item.append(code, what);
        list.append(item);
      }
      out.push(list);
    }
    inspector.replaceChildren(...out);
  }

  const narrow = () => matchMedia("(max-width: 760px)").matches;
  function show(side) {
    main.dataset.show = side;
    for (const tab of document.querySelectorAll("[data-tab]")) tab.setAttribute("aria-selected", tab.dataset.tab === side);
  }
  for (const tab of document.querySelectorAll("[data-tab]")) tab.onclick = () => show(tab.dataset.tab);

  for (const line of document.querySelectorAll(".line")) {
    line.addEventListener("mouseenter", () => { if (!kept) select(line); });
    line.addEventListener("click", () => { kept = !(kept && selected === line); select(line, true); });
    line.addEventListener("focus", () => { if (selected !== line) select(line); });
  }
  for (const row of document.querySelectorAll("tr[data-line]")) row.onclick = () => { const line = element(row.dataset.line); if (line) { kept = true; show("derivative"); select(line, true); } };

  const buttons = [...document.querySelectorAll("[data-path]")];
  function follow(k) {
    path = k;
    buttons.forEach((button, n) => button.setAttribute("aria-pressed", n === k));
    for (const line of document.querySelectorAll(".path")) line.classList.remove("path");
    main.classList.toggle("on-path", k >= 0);
    if (k < 0) return;
    for (const id of data.paths[buttons[k].dataset.path]) {
      element(id).classList.add("path");
      for (const other of partners.get(id) || []) element(other).classList.add("path");
    }
  }
  buttons.forEach((button, k) => { button.onclick = () => follow(path === k ? -1 : k); });

  function theme() {
    const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }
  element("theme").onclick = theme;
  function help() { const keys = element("keys"); keys.hidden = !keys.hidden; element("help").setAttribute("aria-expanded", !keys.hidden); }
  element("help").onclick = help;

  function move(step) {
    const side = selected ? sideOf(selected) : narrow() ? main.dataset.show : "function", all = lines(side);
    const at = selected ? all.indexOf(selected) + step : step > 0 ? 0 : all.length - 1;
    if (all[at]) { kept = true; select(all[at], true); }
  }
  function cross(side) {
    const from = selected, to = side;
    if (from && sideOf(from) === to) return;
    const partner = from && (partners.get(from.id) || []).map(element).find(line => !text(line).startsWith("#"));
    if (narrow()) show(to);
    const target = partner || lines(to)[0];
    if (target) { kept = true; select(target, true); }
  }
  const actions = {
    ArrowDown: () => move(1), ArrowUp: () => move(-1), ArrowRight: () => cross("derivative"), ArrowLeft: () => cross("function"),
    Enter: () => { kept = !kept; }, Escape: () => { kept = false; select(null); follow(-1); },
    p: () => { if (buttons.length) follow(path + 1 < buttons.length ? path + 1 : -1); }, t: theme, "?": help,
  };
  document.addEventListener("keydown", event => {
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button, summary") && event.key === "Enter") return;
    event.preventDefault();
    action();
  });
})();
