// Pictures that move, for the lessons: <figure class="moving" data-kind="..."> with its data as JSON inside.
// Each kind is a function of (figure, data) that builds controls and a drawing, and redraws on every change.
// Figures that a reader may compare are <output data-value="name"> with the full number in data-number.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const HERE = (document.currentScript.src || location.href).replace(/[^/]*$/, "");  // of the playground's page
  const COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377"];

  // --- small helpers -----------------------------------------------------------------------------------------------

  /** An element with attributes and children; SVG elements by the second helper. */
  const put = (into, element, attributes, parts) => {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value);
    }
    for (const part of parts || []) element.append(part);
    if (into) into.append(element);
    return element;
  };
  const html = (into, tag, attributes, ...parts) => put(into, document.createElement(tag), attributes, parts);
  const svg = (into, tag, attributes, ...parts) => put(into, document.createElementNS(SVG, tag), attributes, parts);

  /** A number as the language writes it, with at most four digits behind the point. */
  const shown = (value, lang) =>
    value.toLocaleString(lang, { maximumFractionDigits: Math.abs(value) >= 100 ? 1 : 4 });

  const sum = (list) => list.reduce((a, b) => a + b, 0);
  const entropy = (counts) => {
    const n = sum(counts);
    return -sum(counts.filter((c) => c > 0).map((c) => (c / n) * Math.log2(c / n)));
  };
  const gini = (counts) => 1 - sum(counts.map((c) => (c / sum(counts)) ** 2));
  const error = (counts) => 1 - Math.max(...counts) / sum(counts);
  const IMPURITY = { entropy, gini, error };

  /** The gain of a split into groups of class counts. */
  const gain = (groups, impurity) => {
    const all = groups[0].map((_, k) => sum(groups.map((group) => group[k])));
    const n = sum(all);
    return impurity(all) - sum(groups.filter((g) => sum(g)).map((g) => (sum(g) / n) * impurity(g)));
  };

  /** A linear scale. */
  const scale = (from, to, low, high) => (value) => low + ((value - from) / (to - from || 1)) * (high - low);

  /** Round tick values between two numbers. */
  const ticks = (from, to, wanted = 5) => {
    const raw = (to - from) / wanted;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw);
    const list = [];
    for (let t = Math.ceil(from / step) * step; t <= to + 1e-9; t += step) list.push(Number(t.toPrecision(6)));
    return list;
  };

  class Picture {
    constructor(figure, data) {
      this.figure = figure;
      this.data = data;
      this.words = data.words;
      this.lang = document.documentElement.lang || "en";
      this.controls = html(null, "div", { class: "controls" });
      this.stage = html(null, "div", { class: "stage" });
      this.values = html(null, "dl", { class: "values" });
      figure.prepend(this.controls, this.stage, this.values);
    }

    /** A slider with its label and the value it stands at. */
    slider(word, steps, start, text, changed) {
      const label = html(this.controls, "label", {});
      const name = html(label, "span", {}, word);
      const input = html(label, "input", { type: "range", min: 0, max: steps - 1, step: 1, value: start });
      const said = html(label, "output", { class: "at" });
      const update = () => {
        said.textContent = text(Number(input.value));
        input.setAttribute("aria-valuetext", `${name.textContent} ${said.textContent}`);
        changed(Number(input.value));
      };
      input.addEventListener("input", update);
      return { input, update };
    }

    /** The figures below the drawing. */
    show(values) {
      this.values.replaceChildren();
      for (const [name, value] of Object.entries(values)) {
        const [word, side] = name.split(":");
        const text = (this.words[word] || word) + (side ? ` (${this.words[side] || side})` : "");
        const pair = html(this.values, "div", {});
        html(pair, "dt", {}, text);
        const answer = typeof value === "number" ? shown(value, this.lang) : value;
        html(html(pair, "dd", {}), "output", { "data-value": name, "data-number": value }, answer);
      }
    }

    /** A drawing with axes; gives the group to draw in and the two scales. */
    axes(x, y, names, height = 240) {
      const [width, left, bottom] = [560, 46, 34];
      this.stage.replaceChildren();
      const title = names.title || this.figure.querySelector("figcaption").textContent;
      const root = svg(this.stage, "svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
      svg(root, "title", {}, title);
      const h = scale(x[0], x[1], left, width - 8);
      const v = scale(y[0], y[1], height - bottom, 10);
      const frame = svg(root, "g", { class: "axes" });
      svg(frame, "path", { d: `M${left} 10V${height - bottom}H${width - 8}` });
      for (const t of ticks(...x)) {
        svg(frame, "text", { x: h(t), y: height - bottom + 14, "text-anchor": "middle" }, shown(t, this.lang));
      }
      if (!names.noY) {
        for (const t of ticks(...y, 4)) {
          svg(frame, "text", { x: left - 5, y: v(t) + 4, "text-anchor": "end" }, shown(t, this.lang));
        }
      }
      svg(frame, "text", { x: (left + width) / 2, y: height - 4, "text-anchor": "middle" }, names.x || "");
      return { root, h, v, height, left, width, bottom };
    }

    /** The names of the classes with their colours. */
    legend(classes) {
      const list = html(this.stage, "ul", { class: "legend" });
      classes.forEach((name, k) => {
        const item = html(list, "li", {});
        html(item, "span", { class: "swatch", style: `background:${COLOURS[k]}`, "aria-hidden": "true" });
        item.append(String(name));
      });
    }
  }

  // --- a question with several answers ------------------------------------------------------------------------------

  const question = (figure, data) => {
    const picture = new Picture(figure, data);
    const { words } = data;
    const label = html(picture.controls, "label", {}, words.question + " ");
    const select = html(label, "select", {});
    for (const name of Object.keys(data.columns)) html(select, "option", { value: name }, name);
    const draw = () => {
      const levels = Object.entries(data.columns[select.value]);
      const groups = levels.map(([, counts]) => counts);
      const n = sum(groups.map(sum));
      picture.stage.replaceChildren();
      const table = html(picture.stage, "div", { class: "bars" });
      for (const [level, counts] of levels) {
        const row = html(table, "div", { class: "bar" });
        html(row, "span", { class: "name" }, level);
        const strip = html(row, "span", { class: "strip" });
        counts.forEach((count, k) => {
          const style = `width:${(100 * count) / n}%;background:${COLOURS[k]}`;
          if (count) html(strip, "span", { style, title: `${data.classes[k]}: ${count}` });
        });
        html(row, "span", { class: "counts" }, counts.map((c, k) => `${c} ${data.classes[k]}`).join(", "));
      }
      picture.legend(data.classes);
      const bits = gain(groups, entropy);
      const values = { remainder: entropy(groups[0].map((_, k) => sum(groups.map((g) => g[k])))) - bits, gain: bits };
      if (data.ratio) {
        const info = entropy(groups.map(sum));
        values.ratio = info ? bits / info : 0;
      }
      picture.show(values);
    };
    select.addEventListener("change", draw);
    draw();
  };

  // --- a cut that is dragged -----------------------------------------------------------------------------------------

  /** Let the pointer move a slider: the nearest cut to where it is. */
  const dragged = (picture, plot, data, slider, range) => {
    const move = (event) => {
      const box = plot.root.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * plot.width;
      const value = range[0] + ((x - plot.left) / (plot.width - 8 - plot.left)) * (range[1] - range[0]);
      let best = 0;
      data.cuts.forEach((cut, k) => { if (Math.abs(cut - value) < Math.abs(data.cuts[best] - value)) best = k; });
      slider.input.value = best;
      slider.update();
    };
    plot.root.addEventListener("pointerdown", (event) => {
      move(event);
      const stop = () => { window.removeEventListener("pointermove", move); window.removeEventListener("pointerup", stop); };
      window.addEventListener("pointermove", move);
      window.addEventListener("pointerup", stop);
      event.preventDefault();
    });
  };

  const spread = (list) => {
    const [low, high] = [Math.min(...list), Math.max(...list)];
    return [low - 0.04 * (high - low), high + 0.04 * (high - low)];
  };

  const cut = (figure, data) => {
    const picture = new Picture(figure, data);
    const xs = data.rows.map(([x]) => x);
    const range = spread(xs);
    const sides = (at) => {
      const groups = [data.classes.map(() => 0), data.classes.map(() => 0)];
      for (const [x, k] of data.rows) groups[x <= at ? 0 : 1][k] += 1;
      return groups;
    };
    const curve = data.cuts.map((at) => [at, gain(sides(at), gini)]);
    const draw = (k) => {
      const at = data.cuts[k];
      const groups = sides(at);
      const plot = picture.axes(range, [0, 1], { x: data.column, noY: true });
      const seen = {};
      for (const [x, c] of data.rows) {
        const place = (seen[`${x}/${c}`] = (seen[`${x}/${c}`] || 0) + 1);
        const y = 120 - c * 34 - Math.min(place, 8) * 3;
        svg(plot.root, "circle", { cx: plot.h(x), cy: y, r: 3, fill: COLOURS[c] });
      }
      const high = Math.max(...curve.map(([, g]) => g)) || 1;
      const up = scale(0, high, plot.height - plot.bottom, 140);
      const path = curve.map(([x, g], i) => `${i ? "L" : "M"}${plot.h(x)} ${up(g)}`).join("");
      svg(plot.root, "path", { d: path, class: "curve" });
      svg(plot.root, "line", { x1: plot.h(at), x2: plot.h(at), y1: 6, y2: plot.height - plot.bottom, class: "cut" });
      svg(plot.root, "circle", { cx: plot.h(at), cy: up(curve[k][1]), r: 5, class: "mark" });
      picture.legend(data.classes);
      const values = { "rows:left": groups[0].join(" · "), "rows:right": groups[1].join(" · ") };
      for (const [name, impurity] of Object.entries(IMPURITY)) values[`gain:${name}`] = gain(groups, impurity);
      picture.show(values);
      dragged(picture, plot, data, slider, range);
    };
    const slider = picture.slider(data.words.cut, data.cuts.length, data.start, (k) => shown(data.cuts[k], picture.lang), draw);
    html(picture.controls, "p", { class: "hint" }, data.words.drag);
    slider.update();
  };

  const stairs = (figure, data) => {
    const picture = new Picture(figure, data);
    const range = spread(data.rows.map(([x]) => x));
    const tall = spread(data.rows.map(([, y]) => y));
    const mean = (list) => sum(list) / list.length;
    const squares = (list) => { const m = mean(list); return sum(list.map((y) => (y - m) ** 2)); };
    const all = data.rows.map(([, y]) => y);
    const draw = (k) => {
      const at = data.cuts[k];
      const left = data.rows.filter(([x]) => x <= at).map(([, y]) => y);
      const right = data.rows.filter(([x]) => x > at).map(([, y]) => y);
      const plot = picture.axes(range, tall, { x: data.column });
      for (const [x, y] of data.rows) svg(plot.root, "circle", { cx: plot.h(x), cy: plot.v(y), r: 3, fill: COLOURS[0] });
      const step = `M${plot.h(range[0])} ${plot.v(mean(left))}H${plot.h(at)}V${plot.v(mean(right))}H${plot.h(range[1])}`;
      svg(plot.root, "path", { d: step, class: "curve" });
      svg(plot.root, "line", { x1: plot.h(at), x2: plot.h(at), y1: 6, y2: plot.height - plot.bottom, class: "cut" });
      const after = (squares(left) + squares(right)) / all.length;
      picture.show({
        "mean:left": mean(left), "mean:right": mean(right), squared_error: after, gain: squares(all) / all.length - after,
      });
      dragged(picture, plot, data, slider, range);
    };
    const slider = picture.slider(data.words.cut, data.cuts.length, data.start, (k) => shown(data.cuts[k], picture.lang), draw);
    html(picture.controls, "p", { class: "hint" }, data.words.drag);
    slider.update();
  };

  // --- trees in steps --------------------------------------------------------------------------------------------------

  /** Put a tree's SVG (written by ceiba, with the names escaped) on the stage. */
  const tree = (picture, text) => {
    const box = html(picture.stage, "div", { class: "scrolling", tabindex: "0", role: "region", "aria-label": picture.words.leaves });
    box.innerHTML = text;
  };

  const plane = (picture, data) => {
    const us = data.points.map((p) => p[0]);
    const vs = data.points.map((p) => p[1]);
    const grow = (list) => [Math.min(...list) - 0.2, Math.max(...list) + 0.2];
    const plot = picture.axes(grow(us), grow(vs), { x: `${data.columns[0]} / ${data.columns[1]}` }, 300);
    for (const [x0, y0, x1, y1, k] of data.regions) {
      const box = { x: plot.h(x0), y: plot.v(y1), width: plot.h(x1) - plot.h(x0), height: plot.v(y0) - plot.v(y1) };
      svg(plot.root, "rect", { ...box, class: "region", fill: COLOURS[k] });
    }
    for (const [x, y, k] of data.points) {
      svg(plot.root, "circle", { cx: plot.h(x), cy: plot.v(y), r: 3, fill: COLOURS[k], class: "point" });
    }
    picture.legend(data.classes);
  };

  const line = (picture, data) => {
    const names = Object.keys(data.series);
    const every = [...names.flatMap((name) => data.series[name]), ...data.points.map(([, y]) => y)];
    const plot = picture.axes(spread(data.x), spread(every), { x: picture.words[picture.data.label] || "" });
    for (const [x, y] of data.points) svg(plot.root, "circle", { cx: plot.h(x), cy: plot.v(y), r: 2, class: "faint" });
    names.forEach((name, k) => {
      const path = data.series[name].map((y, i) => `${i ? "L" : "M"}${plot.h(data.x[i])} ${plot.v(y)}`).join("");
      svg(plot.root, "path", { d: path, fill: "none", stroke: COLOURS[k], "stroke-width": 2.5 });
      const at = data.x.indexOf(data.at);
      if (at >= 0) svg(plot.root, "circle", { cx: plot.h(data.at), cy: plot.v(data.series[name][at]), r: 5, fill: COLOURS[k] });
    });
    if (names.length > 1) picture.legend(names.map((name) => picture.words[name] || name));
  };

  const steps = (figure, data) => {
    const picture = new Picture(figure, data);
    const draw = (k) => {
      const step = data.steps[k];
      picture.stage.replaceChildren();
      if (step.line) line(picture, step.line);
      if (step.plane) plane(picture, step.plane);
      if (step.tree) tree(picture, step.tree);
      picture.show(step.values);
    };
    const word = data.words[data.label] || data.label;
    picture.slider(word, data.steps.length, data.start, (k) => shown(data.steps[k].at, picture.lang), draw).update();
  };

  const alpha = (figure, data) => {
    const picture = new Picture(figure, data);
    const many = 400;
    const price = (k) => (k / (many - 1)) ** 3 * data.largest;  // fine where the steps are close
    const draw = (k) => {
      const at = price(k);
      const step = data.steps.filter((one) => one.alpha <= at).pop();
      picture.stage.replaceChildren();
      tree(picture, step.tree);
      picture.show({ alpha: at, leaves: step.leaves, risk: step.risk, cost_complexity: step.risk + at * step.leaves });
    };
    picture.slider(data.words.alpha, many, 0, (k) => shown(price(k), picture.lang), draw).update();
  };

  // --- a threshold and a price -------------------------------------------------------------------------------------------

  const threshold = (figure, data) => {
    const picture = new Picture(figure, data);
    const n = sum(data.groups.map(([, no, yes]) => no + yes));
    const state = { price: 5, limit: 0.5 };
    const cost = (limit) => {
      const missed = sum(data.groups.map(([p, , yes]) => (p > limit ? 0 : yes)));
      const alarms = sum(data.groups.map(([p, no]) => (p > limit ? no : 0)));
      return { missed, alarms, cost: (missed * state.price + alarms) / n };
    };
    const places = Array.from({ length: 101 }, (_, k) => k / 100);
    const draw = () => {
      const curve = places.map((limit) => cost(limit).cost);
      const plot = picture.axes([0, 1], [0, Math.max(...curve) * 1.1], { x: data.words.threshold });
      const path = curve.map((y, i) => `${i ? "L" : "M"}${plot.h(places[i])} ${plot.v(y)}`).join("");
      svg(plot.root, "path", { d: path, class: "curve" });
      const here = cost(state.limit);
      svg(plot.root, "line", { x1: plot.h(state.limit), x2: plot.h(state.limit), y1: 6, y2: plot.height - plot.bottom, class: "cut" });
      svg(plot.root, "circle", { cx: plot.h(state.limit), cy: plot.v(here.cost), r: 5, class: "mark" });
      picture.show({ missed: here.missed, false_alarms: here.alarms, cost: here.cost });
    };
    const whole = (k) => String(k + 1);
    picture.slider(data.words.price, 30, 4, whole, (k) => { state.price = k + 1; draw(); });
    const other = picture.slider(data.words.threshold, 101, 50, (k) => shown(k / 100, picture.lang), (k) => { state.limit = k / 100; draw(); });
    picture.controls.querySelector("output").textContent = whole(4);
    other.update();
  };

  // --- a tree that grows in the page: the playground in a frame ------------------------------------------------------------

  const live = (figure, data) => {
    const picture = new Picture(figure, data);
    const { csv, target, options } = data;
    const title = figure.querySelector("figcaption").textContent;
    const request = new URLSearchParams({ lang: picture.lang, live: JSON.stringify({ name: target, csv, target, options }) });
    html(picture.stage, "iframe", { src: `${HERE}playground.html#${request}`, title, loading: "lazy" });
  };

  const KINDS = { question, cut, stairs, steps, alpha, threshold, live };
  const start = () => {
    for (const figure of document.querySelectorAll("figure.moving")) {
      const source = figure.querySelector('script[type="application/json"]');
      KINDS[figure.dataset.kind](figure, JSON.parse(source.textContent));
      figure.dataset.ready = "yes";
    }
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
