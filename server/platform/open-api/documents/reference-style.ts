// The CSS of the reference page. The page is light or dark as the reader's operating system is set, and it has a
// single column on narrow screens.

export const referenceStyle = `
:root { color-scheme: light dark; --text: #1d2430; --faint: #5b6675; --back: #ffffff; --panel: #f4f6f9; --line: #d9dfe7;
  --get: #0b6b4f; --post: #9a4a00; --link: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e9f0; --faint: #9aa7b8; --back: #12161d; --panel: #1a212b; --line: #2d3744;
    --get: #5fd3ab; --post: #f0a35e; --link: #7db8f5; }
}
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); font: 15px/1.5 system-ui, sans-serif;
  color: var(--text); background: var(--back); }
a { color: var(--link); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; background: var(--panel);
  border-right: 1px solid var(--line); font-size: 13px; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav > ul > li { font-weight: 600; }
nav ul ul { margin-top: 0.25rem; font-weight: 400; }
nav a { display: block; padding: 0.15rem 0; text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { text-decoration: underline; }
main { padding: 1.5rem clamp(1rem, 4vw, 3rem) 4rem; max-width: 64rem; }
h1 { margin: 0 0 0.5rem; font-size: 1.6rem; }
h1 small { font-weight: 400; font-size: 0.9rem; color: var(--faint); }
h2 { margin: 2.5rem 0 0.5rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--line); font-size: 1.25rem; }
h3 { margin: 2rem 0 0.5rem; font-size: 1rem; }
h4 { margin: 1rem 0 0.3rem; font-size: 0.85rem; color: var(--faint); }
p { margin: 0.4rem 0; }
section { scroll-margin-top: 1rem; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre { margin: 0.3rem 0; padding: 0.75rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--line);
  border-radius: 6px; }
.method { display: inline-block; min-width: 3.2rem; font: 600 12px ui-monospace, monospace; }
.get { color: var(--get); }
.post { color: var(--post); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
td, th { padding: 0.3rem 0.75rem 0.3rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td:first-child { min-width: 9rem; }
td:nth-child(2) { color: var(--faint); min-width: 8rem; }
details { margin: 0.5rem 0; }
summary { cursor: pointer; color: var(--link); }
@media (max-width: 50rem) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); }
}
@media print { nav { display: none; } body { display: block; } }
`;
