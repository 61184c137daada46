/**
 * Returns an SVG that shows the pictures in turn, without a script, so that it also moves in an `img` element. Viewers that
 * do not animate, and people who prefer reduced motion, see the first one.
 * @param {readonly { title: string, jpeg: Buffer }[]} slides
 * @param {{ width: number, height: number, secondsEach: number }} options
 * @returns {string}
 */
export function slideShow(slides, { width, height, secondsEach }) {
  const caption = 44;
  const whole = slides.length * secondsEach;
  const share = 100 / slides.length;
  const images = slides.map(({ title, jpeg }, at) => {
    const delay = at === 0 ? "" : ` style="animation-delay:${at * secondsEach}s"`;
    return `<g class="slide${at === 0 ? " first" : ""}"${delay}>
<rect width="${width}" height="${caption}" fill="#1b6b50"/>
<text x="20" y="29" fill="#fff" font-family="system-ui,sans-serif" font-size="18">${title}</text>
<image y="${caption}" width="${width}" height="${height}" href="data:image/jpeg;base64,${jpeg.toString("base64")}"/>
</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height + caption}" width="${width}" height="${height + caption}">
<title>${slides.map(({ title }) => title).join(". ")}</title>
<style>
.slide { visibility: hidden; }
.first { visibility: visible; }
@media (prefers-reduced-motion: no-preference) {
.slide { animation: show ${whole}s step-end infinite; }
}
@keyframes show { 0% { visibility: visible; } ${share}% { visibility: hidden; } 100% { visibility: hidden; } }
</style>
${images.join("\n")}
</svg>
`;
}
