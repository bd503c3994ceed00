/// The style of an exported page: one column of text for a phone, for a desktop in light and dark,
/// and for paper. It refers to no file and no address.
package let pageStyle = #"""

  :root {
    --paper: #fcfaf6; --ink: #2b2926; --soft: #6f6a62; --line: #e4ded3; --tint: #f4efe6;
    --accent: #35618e; --bright: #c98a1b; --wet: #3f7fae;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --paper: #1b1a18; --ink: #dedad2; --soft: #9b958a; --line: #35322d; --tint: #24221f;
      --accent: #8fb8de; --bright: #e5b558; --wet: #86b7da;
    }
  }
  * { box-sizing: border-box; }
  html { background: var(--paper); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
  body {
    margin: 0; color: var(--ink); background: var(--paper); line-height: 1.7;
    font: 1.0625rem/1.7 Charter, "Iowan Old Style", "Palatino Linotype", Georgia,
      "Noto Serif", "Noto Serif CJK KR", "Noto Serif KR", AppleMyungjo, serif;
    overflow-wrap: break-word;
  }
  main { max-width: 40rem; margin: 0 auto; padding: 3.5rem 1.375rem 5rem; }
  article + article { margin-top: 4.5rem; padding-top: 4.5rem; border-top: 1px solid var(--line); }
  article:lang(ko) { word-break: keep-all; }
  header { margin-bottom: 2rem; }
  h1, h2, h3, h4, h5, h6 { line-height: 1.3; margin: 2.2em 0 .6em; font-weight: 650; text-wrap: balance; }
  h1 { font-size: 1.9rem; margin: .35rem 0 .7rem; letter-spacing: -.01em; }
  h2 { font-size: 1.35rem; }
  h3 { font-size: 1.15rem; }
  h4, h5, h6 { font-size: 1rem; }
  header p, footer, .notes, th, .missing {
    font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK KR",
      sans-serif;
  }
  header p { margin: 0; font-size: .875rem; color: var(--soft); }
  .about { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; }
  .weather { display: inline-flex; align-items: center; gap: .5em; }
  .icon {
    width: 1.7em; height: 1.7em; flex: none; fill: none; stroke: currentColor; stroke-width: 1.5;
    stroke-linecap: round; stroke-linejoin: round;
  }
  .icon .bright { stroke: var(--bright); }
  .icon .wet { stroke: var(--wet); }
  .icon .dots { stroke-width: 2; }
  p, ul, ol, blockquote, pre, .wide, hr { margin: 0 0 1.15em; }
  ul, ol { padding-inline-start: 1.5em; }
  li { margin: .2em 0; }
  li > ul, li > ol { margin: .2em 0; }
  li::marker { color: var(--soft); }
  .task { list-style: none; position: relative; }
  .box {
    position: absolute; left: -1.5em; top: .42em; width: .95em; height: .95em;
    border: 1.5px solid var(--soft); border-radius: .22em;
  }
  .box[aria-checked="true"] { border-color: var(--accent); }
  .box[aria-checked="true"]::after {
    content: ""; position: absolute; left: .24em; top: .02em; width: .28em; height: .55em;
    border: solid var(--accent); border-width: 0 2px 2px 0; transform: rotate(42deg);
  }
  a { color: var(--accent); text-decoration-thickness: .06em; text-underline-offset: .18em; }
  blockquote {
    padding: .1em 0 .1em 1.2em; border-inline-start: 3px solid var(--line); color: var(--soft);
  }
  blockquote > :last-child, li > :last-child { margin-bottom: 0; }
  code, pre {
    font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK KR",
      monospace;
    font-size: .875em;
  }
  code { background: var(--tint); border-radius: .3em; padding: .12em .35em; }
  pre {
    background: var(--tint); border-radius: .5em; padding: .9em 1.1em; overflow-x: auto;
    line-height: 1.55;
  }
  pre code { background: none; padding: 0; font-size: inherit; }
  pre.raw { color: var(--soft); white-space: pre-wrap; }
  img { display: block; max-width: 100%; height: auto; margin: 1.6em auto; border-radius: .4em; }
  .missing { color: var(--soft); border: 1px dashed var(--line); border-radius: .3em;
    padding: .1em .45em; font-size: .875em; }
  .wide { overflow-x: auto; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .95em; }
  th, td { padding: .45em .9em .45em 0; border-bottom: 1px solid var(--line); text-align: start;
    vertical-align: top; }
  th { font-size: .85em; font-weight: 600; color: var(--soft); border-bottom-width: 2px; }
  th:last-child, td:last-child { padding-inline-end: 0; }
  .left { text-align: left; } .centre { text-align: center; } .right { text-align: right; }
  hr { border: 0; text-align: center; margin: 2.2em 0; }
  hr::before { content: "\2022\2002\2022\2002\2022"; color: var(--soft); font-size: .8em; }
  sup { line-height: 0; } sup a { text-decoration: none; padding: 0 .1em; }
  .notes { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line);
    font-size: .875rem; color: var(--soft); }
  .notes li > p:last-of-type { display: inline; }
  .back { text-decoration: none; margin-inline-start: .3em; }
  footer { margin-top: 2.2rem; font-size: .875rem; color: var(--soft); }
  footer span { display: inline-block; margin-inline-end: .8em; }
  @media (max-width: 30rem) {
    body { font-size: 1rem; }
    main { padding: 2rem 1.25rem 3.5rem; }
    h1 { font-size: 1.6rem; }
  }
  @page { margin: 2.2cm 2cm; }
  @media print {
    :root {
      --paper: #fff; --ink: #1c1b19; --soft: #5f5a53; --line: #d3cdc2; --tint: #f6f3ee;
      --accent: #274a6d; --bright: #a87110; --wet: #2f668e;
    }
    html, body { background: none; font-size: 10.5pt; }
    main { max-width: none; padding: 0; }
    pre { white-space: pre-wrap; }
    .wide { overflow: visible; }
    img { max-height: 8.5cm; }
    article + article { margin-top: 3rem; padding-top: 3rem; }
    h1, h2, h3, h4, h5, h6, header, .date { break-after: avoid; }
    header, img, pre, blockquote, .wide, tr { break-inside: avoid; }
    p { orphans: 3; widows: 3; }
    article a[href^="http"]:not(.bare)::after {
      content: "(" attr(href) ")"; display: inline-block; max-width: 100%; font-size: .8em;
      margin-inline-start: .4em; color: var(--soft); overflow-wrap: anywhere;
    }
    .back { display: none; }
  }

  """#

/// The SHA-256 of ``pageStyle`` in Base64. The page's policy allows only this style, and a test
/// computes the digest again.
let pageStyleDigest = "ZOPlDboWB5za62b/yvwqvVKTy1f9MVvWRZ2WO4tdtvg="
