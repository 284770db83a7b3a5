import { groups, types } from './examples.mjs'

const escape = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

function link({ title, path, shows, role = 'public' }) {
  const named = role === 'public' ? '' : ` <span class="role">as ${role}</span>`
  const data = `data-role="${role}"${shows === undefined ? '' : ` data-shows="${escape(shows)}"`}`
  return `<a class="example" href="${escape(`/api/${path}`)}" ${data}>${escape(title)}${named}</a>`
}

const group = ({ title, examples }) => `
      <section>
        <h2>${escape(title)}</h2>
        <ul>${examples.map((example) => `<li>${link(example)}</li>`).join('')}</ul>
      </section>`

const type = ([path, title, about, role]) => `
          <li>${link({ title, path, role })} <span class="about">${escape(about)}</span></li>`

const role = (name, about) => `
          <label><input type="radio" name="role" value="${name}"${name === 'public' ? ' checked' : ''}> ${name} <span class="about">${about}</span></label>`

export const page = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>The Long Way: the sample of express-content-router</title>
  <link rel="icon" href="/uploads/thumbnail_lisbon-stairs.svg" type="image/svg+xml">
  <link rel="stylesheet" href="/page/page.css">
  <script src="/page/page.js" type="module"></script>
</head>
<body>
  <header>
    <img src="/uploads/small_lisbon-stairs.svg" alt="" width="150" height="100">
    <div>
      <p class="kicker">express-content-router</p>
      <h1>The Long Way</h1>
      <p>A magazine about walking and cities, served from an embedded SQLite file by
        <code>app.use('/api', contentRouter(…))</code>. Choose a query; its answer appears beside it.</p>
    </div>
  </header>
  <div class="columns">
    <nav aria-label="Queries">
      <fieldset>
        <legend>Ask as</legend>${role('public', 'no letters, no drafts')}${role('reader', 'letters too')}${role('editor', 'everything, and drafts')}
      </fieldset>
      <section>
        <h2>Content types</h2>
        <ul class="types">${types.map(type).join('')}
        </ul>
      </section>${groups.map(group).join('')}
    </nav>
    <main>
      <form>
        <label for="query">Query</label>
        <textarea id="query" name="query" rows="2" spellcheck="false" autocomplete="off">/api/homepage?populate=*</textarea>
        <button>Ask</button>
      </form>
      <p id="status" role="status">Choose a query on the left, or write your own.</p>
      <div id="pictures" aria-label="Pictures in the answer" role="group" hidden></div>
      <pre id="answer" tabindex="0" aria-label="Answer"></pre>
    </main>
  </div>
</body>
</html>
`
