const query = document.querySelector('#query')
const status = document.querySelector('#status')
const answer = document.querySelector('#answer')
const pictures = document.querySelector('#pictures')
const links = [...document.querySelectorAll('a.example')]

const role = () => document.querySelector('input[name=role]:checked').value

function element(name, className, text) {
  const made = document.createElement(name)
  made.className = className
  made.textContent = text
  return made
}

/** Keys, texts and numbers in their colours; the keys that the example is about are marked. */
function show(json, names) {
  const tokens = json.split(/("(?:[^"\\]|\\.)*"(?:\s*:)?|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null)/i)
  const parts = tokens.map((token, index) => {
    if (index % 2 === 0) return token
    if (!token.startsWith('"')) return element('span', 'number', token)
    if (!token.endsWith(':')) return element('span', 'text', token)
    return element(names.includes(JSON.parse(token.slice(0, -1))) ? 'mark' : 'span', 'key', token)
  })
  answer.replaceChildren(...parts)
  answer.scrollTop = 0
}

function filesIn(value, found = new Map()) {
  if (Array.isArray(value)) for (const one of value) filesIn(one, found)
  else if (value !== null && typeof value === 'object') {
    if (value.formats?.thumbnail) found.set(value.url, value)
    else for (const one of Object.values(value)) filesIn(one, found)
  }
  return [...found.values()]
}

function showPictures(files) {
  const images = files.slice(0, 12).map((file) => {
    const image = new Image()
    image.src = file.formats.thumbnail.url
    image.alt = file.alternativeText ?? ''
    image.title = file.name
    return image
  })
  pictures.replaceChildren(...images)
  pictures.hidden = images.length === 0
}

function describe(response, body, milliseconds) {
  const count = Array.isArray(body.data)
    ? `, ${body.data.length} of ${body.meta.pagination?.total ?? '?'} entries`
    : ''
  const words = response.ok ? `as ${role()}${count}, ${milliseconds} ms` : body.error.message
  status.className = response.ok ? '' : 'failed'
  status.replaceChildren(element('b', '', `${response.status} ${response.statusText}`), ` ${words}`)
}

async function ask(url, shows = '') {
  query.value = decodeURI(url)
  for (const link of links) link.toggleAttribute('aria-current', link.getAttribute('href') === url)
  const start = performance.now()
  try {
    const response = await fetch(url, { headers: { 'X-Role': role() } })
    const body = await response.json()
    describe(response, body, Math.round(performance.now() - start))
    show(JSON.stringify(body, null, 2), shows.split('.'))
    showPictures(filesIn(body.data))
  } catch (error) {
    status.className = 'failed'
    status.textContent = `No answer: ${error.message}`
  }
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a.example')
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  document.querySelector(`input[name=role][value=${link.dataset.role}]`).checked = true
  ask(link.getAttribute('href'), link.dataset.shows)
})

document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault()
  ask(query.value)
})

for (const input of document.querySelectorAll('input[name=role]'))
  input.addEventListener('change', () => ask(query.value))

ask(query.value, 'headline')
