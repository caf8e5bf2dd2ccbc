(() => {
  const box = document.getElementById("filter");
  const bar = document.getElementById("bar");
  const said = document.getElementById("shown");
  const rows = [...document.querySelectorAll("[data-words]")];
  const words = rows.map((row) => row.dataset.words);
  const kinds = rows.map((row) => row.dataset.kind);
  const sections = [...document.querySelectorAll("section")];
  const owner = new Map(rows.map((row) => [row, row.closest("section")]));
  bar.hidden = false;
  const apply = () => {
    const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = new Set([...bar.querySelectorAll("input[type=checkbox]:checked")].map((one) => one.value));
    const full = new Set();
    const filled = new Set();
    let shown = 0;
    rows.forEach((row, at) => {
      const hit = (!kinds[at] || chosen.has(kinds[at])) && wanted.every((word) => words[at].includes(word));
      if (row.hidden === hit) row.hidden = !hit;
      if (hit) shown += 1;
      full.add(owner.get(row));
      if (hit) filled.add(owner.get(row));
    });
    for (const one of sections) one.hidden = full.has(one) ? !filled.has(one) : wanted.length > 0;
    said.textContent = shown === rows.length ? "" : `${shown} of ${rows.length} shown`;
  };
  let due = 0;
  box.addEventListener("input", () => { cancelAnimationFrame(due); due = requestAnimationFrame(apply); });
  bar.addEventListener("change", apply);
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement && event.target.type === "search";
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && !typing) { event.preventDefault(); box.focus(); }
    if (event.key === "Escape" && typing) { box.value = ""; apply(); box.blur(); }
    if ((event.key === "j" || event.key === "k") && !typing) {
      const seen = rows.filter((row) => row.matches("article") && !row.hidden);
      const at = seen.indexOf(document.activeElement.closest("article"));
      const next = seen[event.key === "j" ? at + 1 : Math.max(at - 1, 0)];
      if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
    }
  });
  apply();
})();
