// Draws claims, pages and their links on a canvas. Nodes push each other apart, links pull together, until it is calm;
// forces reach only neighbouring cells of a grid, so that 2,000 nodes take a few milliseconds a step.
"use strict";
(() => {
  const holder = document.querySelector("[data-graph]");
  const canvas = document.getElementById("graph");
  if (!holder || !canvas) return;
  const label = holder.querySelector(".graph-label");
  const pen = canvas.getContext("2d");
  const CELL = 140, PUSH = 2600, PULL = 0.05, LENGTH = 70, CENTRE = 0.003, STEPS_A_FRAME = 1, CALM = 0.02;
  let nodes = [], links = [], heat = 1, view = { x: 0, y: 0, scale: 1 }, hovered = null, chosen = -1, colours = {};
  let isFitted = true, isDrawing = false;

  function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "soft", "line", "paper", "accent", "for", "against", "warn"]) colours[name] = style.getPropertyValue("--" + name).trim();
  }

  function start(data) {
    const golden = Math.PI * (3 - Math.sqrt(5));
    nodes = data.nodes.map((node, at) => {
      const away = 14 * Math.sqrt(at + 1);
      return { ...node, x: away * Math.cos(at * golden), y: away * Math.sin(at * golden), vx: 0, vy: 0,
               r: node.kind === "hypothesis" ? 9 : Math.min(3 + Math.sqrt(node.degree), 8) };
    });
    links = data.links.map(([a, b, relation]) => ({ a: nodes[a], b: nodes[b], relation }));
    canvas.dataset.nodes = nodes.length;
    canvas.dataset.links = links.length;
    label.textContent = label.dataset.hint;
    heat = 1;
    frame();
  }

  function step() {
    const grid = new Map();
    for (const node of nodes) {
      const key = Math.floor(node.x / CELL) * 73856093 ^ Math.floor(node.y / CELL) * 19349663;
      const cell = grid.get(key);
      if (cell) cell.push(node); else grid.set(key, [node]);
    }
    for (const node of nodes) {
      const cx = Math.floor(node.x / CELL), cy = Math.floor(node.y / CELL);
      for (let dx = -1; dx <= 1; dx++) for (let dy = -1; dy <= 1; dy++) {
        const cell = grid.get((cx + dx) * 73856093 ^ (cy + dy) * 19349663);
        if (!cell) continue;
        for (const other of cell) {
          if (other === node) continue;
          const x = node.x - other.x || 0.01, y = node.y - other.y || 0.01, square = x * x + y * y;
          if (square > CELL * CELL) continue;
          const force = PUSH / (square + 40);
          node.vx += x * force / 60; node.vy += y * force / 60;
        }
      }
      node.vx -= node.x * CENTRE; node.vy -= node.y * CENTRE;
    }
    for (const { a, b } of links) {
      const x = b.x - a.x, y = b.y - a.y, distance = Math.hypot(x, y) || 1;
      const force = PULL * (distance - LENGTH) / distance / Math.sqrt(Math.max(1, Math.min(a.degree, b.degree)));
      a.vx += x * force; a.vy += y * force; b.vx -= x * force; b.vy -= y * force;
    }
    for (const node of nodes) {
      const speed = Math.hypot(node.vx, node.vy), most = 14 * heat;
      if (speed > most) { node.vx *= most / speed; node.vy *= most / speed; }
      node.x += node.vx; node.y += node.vy; node.vx *= 0.6; node.vy *= 0.6;
    }
    heat *= 0.985;
  }

  function fit() {
    const box = canvas.getBoundingClientRect(), ratio = devicePixelRatio || 1;
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
    if (!isFitted || !nodes.length) return;
    let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
    for (const { x, y } of nodes) { left = Math.min(left, x); right = Math.max(right, x); top = Math.min(top, y); bottom = Math.max(bottom, y); }
    view.scale = Math.min(box.width / (right - left + 80), box.height / (bottom - top + 110), 2.5);
    view.x = (left + right) / 2; view.y = (top + bottom) / 2;
  }

  const VERDICT = { well_supported: "for", supported: "for", contested: "warn", likely_false: "against", unverified: "accent" };
  const COLOUR = { supports: "for", refutes: "against", cites: "line" };
  function draw() {
    const ratio = devicePixelRatio || 1, scale = view.scale * ratio;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.setTransform(scale, 0, 0, scale, canvas.width / 2 - view.x * scale, canvas.height / 2 - view.y * scale);
    for (const relation of ["cites", "supports", "refutes"]) {
      pen.beginPath();
      pen.strokeStyle = colours[COLOUR[relation]];
      pen.globalAlpha = hovered ? 0.12 : relation === "refutes" ? 0.85 : links.length > 1500 ? 0.3 : 0.55;
      pen.lineWidth = (relation === "refutes" ? 1.6 : 1) / view.scale;
      pen.setLineDash(relation === "refutes" ? [5 / view.scale, 3 / view.scale] : []);
      for (const link of links) if (link.relation === relation) { pen.moveTo(link.a.x, link.a.y); pen.lineTo(link.b.x, link.b.y); }
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
    if (hovered) for (const link of links) if (link.a === hovered || link.b === hovered) {
      pen.beginPath(); pen.strokeStyle = colours[COLOUR[link.relation]] === colours.line ? colours.soft : colours[COLOUR[link.relation]];
      pen.lineWidth = 2 / view.scale; pen.moveTo(link.a.x, link.a.y); pen.lineTo(link.b.x, link.b.y); pen.stroke();
    }
    const least = 1.6 / view.scale;
    for (const node of nodes) {
      const r = Math.max(node.r, least);
      pen.beginPath();
      if (node.kind === "page") { pen.rect(node.x - r * 0.8, node.y - r * 0.8, r * 1.6, r * 1.6); pen.fillStyle = colours.soft; pen.fill(); }
      else {
        pen.arc(node.x, node.y, r, 0, 7);
        const colour = colours[VERDICT[node.group]];
        pen.fillStyle = node.kind === "hypothesis" ? colour : colours.paper; pen.fill();
        pen.strokeStyle = colour; pen.lineWidth = 1.6; pen.stroke();
      }
      if (node === hovered) { pen.beginPath(); pen.arc(node.x, node.y, r + 4, 0, 7); pen.strokeStyle = colours.ink; pen.lineWidth = 2 / view.scale; pen.stroke(); }
    }
  }

  function frame() {
    if (isDrawing) return;
    isDrawing = true;
    requestAnimationFrame(() => {
      isDrawing = false;
      if (heat > CALM) for (let at = 0; at < STEPS_A_FRAME; at++) step();
      fit(); draw();
      if (heat > CALM) frame(); else canvas.dataset.calm = "yes";
    });
  }

  function at(event) {
    const box = canvas.getBoundingClientRect();
    const x = (event.clientX - box.left - box.width / 2) / view.scale + view.x, y = (event.clientY - box.top - box.height / 2) / view.scale + view.y;
    let nearest = null, best = (14 / view.scale) ** 2;
    for (const node of nodes) { const d = (node.x - x) ** 2 + (node.y - y) ** 2; if (d < Math.max(best, node.r ** 2) && (!nearest || d < best)) { best = d; nearest = node; } }
    return nearest;
  }
  function point(node) {
    hovered = node;
    canvas.style.cursor = node ? "pointer" : "grab";
    label.textContent = node ? node.label : label.dataset.hint;
    frame();
  }
  function open(node) { if (node) location.href = (node.kind === "page" ? "/pages/" : "/claims/") + encodeURIComponent(node.id); }
  function zoom(factor) { isFitted = false; view.scale = Math.min(Math.max(view.scale * factor, 0.05), 8); frame(); }

  let held = null;
  canvas.addEventListener("pointerdown", (event) => { held = { x: event.clientX, y: event.clientY, isMoved: false }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) { const node = at(event); if (node !== hovered) point(node); return; }
    const dx = event.clientX - held.x, dy = event.clientY - held.y;
    if (!held.isMoved && Math.hypot(dx, dy) < 4) return;
    isFitted = false;
    view.x -= dx / view.scale; view.y -= dy / view.scale;
    held = { x: event.clientX, y: event.clientY, isMoved: true };
    frame();
  });
  canvas.addEventListener("pointerup", (event) => { if (held && !held.isMoved) open(at(event)); held = null; });
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY / 400)); }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const far = 60 / view.scale;
    const moves = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, -far], ArrowDown: [0, far] };
    if (moves[event.key]) { isFitted = false; view.x += moves[event.key][0]; view.y += moves[event.key][1]; frame(); }
    else if (event.key === "+" || event.key === "=") zoom(1.25);
    else if (event.key === "-" || event.key === "−") zoom(0.8);
    else if (event.key === "n" || event.key === "p") { chosen = (chosen + (event.key === "n" ? 1 : nodes.length - 1)) % nodes.length; point(nodes[chosen]); }
    else if (event.key === "Enter") open(hovered);
    else return;
    event.preventDefault();
  });
  new ResizeObserver(frame).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); frame(); });
  readColours();
  fetch(holder.dataset.graph, { credentials: "same-origin" }).then((answer) => answer.json()).then(start);
})();
