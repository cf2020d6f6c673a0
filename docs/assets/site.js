// @ts-check
// Material names its copy-button landmarks alike; give each its own name.
const nameCopyButtons = () => {
  document.querySelectorAll(".md-code__nav").forEach((nav, i) => {
    nav.setAttribute("aria-label", `Code block ${i + 1}`);
  });
};
document.addEventListener("DOMContentLoaded", () => {
  nameCopyButtons();
  const article = document.querySelector("article");
  if (article) {
    new MutationObserver(nameCopyButtons).observe(article, { childList: true, subtree: true });
  }
});
// Pages with blocks that can be run get their buttons.
if (document.querySelector(".highlight.run")) import("./run.js");
// So do pages with figures that can be touched.
if (document.querySelector(".split")) import("./split.js");
if (document.querySelector(".fuse")) import("./fuse.js");
