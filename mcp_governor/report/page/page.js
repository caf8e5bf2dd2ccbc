(() => {
  const box = document.getElementById("filter");
  const bar = document.getElementById("bar");
  const said = document.getElementById("shown");
  const rows = [...document.querySelectorAll("[data-words]")];
  const words = rows.map((row) => row.dataset.words);
  const sections = [...document.querySelectorAll("section")];
  bar.hidden = false;
  const apply = () => {
    const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kinds = new Set([...bar.querySelectorAll("input[type=checkbox]:checked")].map((one) => one.value));
    let shown = 0;
    rows.forEach((row, at) => {
      const kind = row.dataset.kind;
      const hit = (!kind || kinds.has(kind)) && wanted.every((word) => words[at].includes(word));
      if (row.hidden === hit) row.hidden = !hit;
      if (hit) shown += 1;
    });
    for (const one of sections) {
      const own = one.querySelectorAll("[data-words]");
      one.hidden = own.length > 0 && ![...own].some((row) => !row.hidden);
    }
    said.textContent = `${shown} of ${rows.length} shown`;
  };
  let due = 0;
  box.addEventListener("input", () => { cancelAnimationFrame(due); due = requestAnimationFrame(apply); });
  bar.addEventListener("change", apply);
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement && event.target.type === "search";
    if (event.key === "/" && !typing) { event.preventDefault(); box.focus(); }
    if (event.key === "Escape" && typing) { box.value = ""; apply(); box.blur(); }
    if ((event.key === "j" || event.key === "k") && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const seen = [...document.querySelectorAll("article.item")].filter((row) => row.offsetParent !== null);
      const at = seen.indexOf(document.activeElement);
      const next = seen[event.key === "j" ? at + 1 : Math.max(at - 1, 0)];
      if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
    }
  });
  apply();
})();
