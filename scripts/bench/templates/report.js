"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // The theme itself is a matter of the style sheet; here it is only remembered.
  const themes = all("#theme input");
  const store = (() => { try { return window.localStorage; } catch { return null; } })();
  const remembered = store?.getItem("theme");
  for (const input of themes) {
    if (input.value === remembered) input.checked = true;
    input.addEventListener("change", () => store?.setItem("theme", input.value));
  }

  // Sorting: within each part of a table, what has no figure comes last.
  const key = (row, column) => {
    const cell = row.cells[column];
    const value = cell.dataset.value;
    return value === undefined ? cell.textContent : value === "" ? null : Number(value);
  };
  const compare = (a, b, sign) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }));
  };
  const sort = (table, head) => {
    const descending = head.getAttribute("aria-sort") === "ascending";
    for (const other of all("th[aria-sort]", table)) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    for (const part of table.tBodies) {
      const rows = all("tr[data-t]", part).map((row) => [key(row, head.cellIndex), row]);
      rows.sort((a, b) => compare(a[0], b[0], descending ? -1 : 1));
      part.append(...rows.map(([, row]) => row));
    }
  };
  for (const table of all("table.sortable")) {
    for (const head of all("thead th", table)) {
      const button = document.createElement("button");
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, head));
      head.append(button);
    }
  }

  // Filters: nothing chosen in a line means everything.
  const form = document.getElementById("filter");
  const targets = new Map();
  for (const row of all(".results tr[data-t]")) {
    targets.set(row.dataset.t, { class: row.cells[1].textContent, language: row.cells[2].textContent });
  }
  const matches = (chosen, names, of) => names.every((name) => !chosen[name]?.length || chosen[name].includes(of[name]));
  const closeUp = (picture) => {
    const { top, row } = picture.dataset;
    const shown = all("g.row", picture).filter((strip) => !strip.hasAttribute("hidden"));
    shown.forEach((strip, index) => strip.setAttribute("transform", `translate(0,${Number(top) + row * index})`));
    const [x, y, width] = picture.getAttribute("viewBox").split(" ");
    picture.setAttribute("viewBox", `${x} ${y} ${width} ${Number(top) + row * shown.length + 6}`);
  };
  const filter = () => {
    const chosen = {};
    for (const box of all("input:checked", form)) (chosen[box.name] ??= []).push(box.value);
    for (const item of all("[data-t]")) {
      const target = targets.get(item.dataset.t);
      item.toggleAttribute("hidden", target !== undefined && !matches(chosen, ["class", "language"], target));
    }
    all("svg.strips").forEach(closeUp);
    const groups = all("details.group");
    for (const group of groups) group.hidden = !matches(chosen, ["mode", "connections", "generator"], group.dataset);
    for (const part of all("#connections [data-main], #work [data-main]")) {
      part.hidden = !matches(chosen, ["mode", "generator"], document.getElementById(part.dataset.main).dataset);
    }
    const shown = groups.filter((group) => !group.hidden);
    if (shown.length && !shown.some((group) => group.open)) shown[0].open = true;
    document.getElementById("shown").textContent = `${shown.length} of ${groups.length} tables`;
  };
  form.addEventListener("change", filter);
  form.addEventListener("reset", () => setTimeout(filter));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
})();
