// Runs inside the page: compares every figure that it shows with the run.

export function figures(run) {
  const wrong = [];
  let count = 0;
  const at = (object, path) => path.split(".").reduce((value, name) => value?.[name], object);
  const same = (what, shown, value) => {
    count += 1;
    const equal = value === null || value === undefined ? shown === "" : shown !== "" && Number(shown) === value;
    if (!equal) wrong.push(`${what}: shows ${shown}, the run has ${value}`);
  };

  // What is read, within its rounding: "1.31 ms" is 1310 µs.
  const units = { "%": 0.01, "µs": 1, ms: 1e3, s: 1e6, B: 1, KiB: 1024, MiB: 1048576 };
  const reads = (what, text, value) => {
    const found = /^([\d.,]+)(?: (?!±)(\S+))?/.exec(text);
    if (value === null || value === undefined) return found && wrong.push(`${what}: reads ${text}, the run has nothing`);
    if (!found) return wrong.push(`${what}: reads ${text}, the run has ${value}`);
    const digits = found[1].replaceAll(",", "");
    const unit = units[found[2]] ?? 1;
    const last = unit * 10 ** -(digits.split(".")[1]?.length ?? 0);
    if (Math.abs(Number(digits) * unit - value) > 0.51 * last) wrong.push(`${what}: reads ${text}, the run has ${value}`);
  };

  const groupOf = (element) => {
    const main = element.closest("[data-main]");
    return main ? document.getElementById(main.dataset.main) : element.closest("details.group");
  };
  const cellOf = (group, target, connections) => run.cells.find((cell) =>
    cell.target === target && cell.mode === group.dataset.mode && cell.connections === Number(connections ?? group.dataset.connections)
    && cell.threads === Number(group.dataset.threads) && cell.generator === group.dataset.generator
    && cell.rate_percent === (group.dataset.rate === "" ? null : Number(group.dataset.rate)));
  const source = (table, row, head) => {
    const target = row.dataset.t;
    if (table.dataset.of === "target") return run.targets.find((other) => other.name === target);
    return cellOf(groupOf(table), target, head.dataset.c);
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    for (const row of table.querySelectorAll("tr[data-t]")) {
      heads.forEach((head, column) => {
        if (!head.dataset.f) return;
        const what = `${table.caption?.textContent ?? "results"}, ${row.dataset.t}, ${head.textContent}`;
        const value = at(source(table, row, head), head.dataset.f);
        same(what, row.cells[column].dataset.value, value);
        reads(what, row.cells[column].textContent, value);
      });
    }
  }

  for (const table of document.querySelectorAll("[data-of=sample]")) {
    const heads = [...table.tHead.rows[0].cells].slice(1);
    for (const body of table.tBodies) {
      const { samples } = cellOf(groupOf(table), body.dataset.t);
      [...body.rows].forEach((row, index) => {
        const cells = [...row.querySelectorAll("td")];
        heads.forEach((head, column) => {
          if (!head.dataset.f) return;
          count += 1;
          reads(`round ${index + 1} of ${body.dataset.t}, ${head.textContent}`, cells[column].textContent, at(samples[index], head.dataset.f));
        });
      });
      if (body.rows.length !== samples.length) wrong.push(`${body.dataset.t}: ${body.rows.length} rounds shown, ${samples.length} in the run`);
    }
  }

  for (const picture of document.querySelectorAll("svg.strips")) {
    const name = picture.dataset.f;
    for (const strip of picture.querySelectorAll("g.row")) {
      const cell = cellOf(groupOf(picture), strip.dataset.t);
      const what = `picture of ${name}, ${strip.dataset.t}`;
      same(what, strip.dataset.value, cell.summary?.[name]?.median);
      const rounds = cell.samples.map((sample) => name === "requests_per_second" ? sample[name] : sample.server[name]).filter((value) => value !== null);
      const shown = strip.dataset.values.split(" ").filter((value) => value !== "");
      if (shown.length !== rounds.length) wrong.push(`${what}: ${shown.length} dots for ${rounds.length} rounds`);
      rounds.forEach((value, index) => same(`${what}, round ${index + 1}`, shown[index], value));
      const dots = strip.querySelector(".dots")?.getAttribute("d").match(/M/g).length ?? 0;
      if (dots !== rounds.length) wrong.push(`${what}: draws ${dots} of ${rounds.length} rounds`);
    }
  }

  // The model, computed anew.
  for (const table of document.querySelectorAll("#work table")) {
    const rows = [...table.querySelectorAll("tr[data-t]")];
    const cpu = (row) => Number(row.cells[1].dataset.value);
    const cheapest = Math.min(...rows.filter((row) => !row.closest(".apart")).map(cpu));
    for (const row of rows) {
      [100, 1_000, 10_000].forEach((work, index) => {
        const figures = [(cpu(row) + work) / (cheapest + work) - 1, (cpu(row) + work) / 100];
        figures.forEach((value, part) => {
          count += 1;
          const shown = Number(row.cells[2 + 2 * index + part].dataset.value);
          if (Math.abs(shown - value) > 1e-9 * Math.abs(value) + 1e-12) wrong.push(`model, ${row.dataset.t}, ${work} µs: ${shown}, not ${value}`);
        });
      });
    }
  }
  return { wrong, count };
}
