const query = document.querySelector('#query')
const status = document.querySelector('#status')
const answer = document.querySelector('#answer')
const pictures = document.querySelector('#pictures')
const narrow = matchMedia('(max-width: 52rem)')
const links = [...document.querySelectorAll('a.example')]

const role = () => document.querySelector('input[name=role]:checked').value

function element(name, className, text) {
  const made = document.createElement(name)
  made.className = className
  made.textContent = text
  return made
}

/** A value as JSON in colours. The keys on the path `names` are marked: they are what the example is about. */
function write(value, names, indent = '') {
  if (value === null || typeof value !== 'object') {
    return [element('span', typeof value === 'string' ? 'text' : 'number', JSON.stringify(value))]
  }
  const list = Array.isArray(value)
  const entries = Object.entries(value)
  const [open, close] = list ? '[]' : '{}'
  if (entries.length === 0) return [open + close]
  const inner = `${indent}  `
  const lines = entries.flatMap(([key, one], index) => {
    const marked = !list && key === names[0]
    const label = list
      ? []
      : [element(marked && indent !== '' ? 'mark' : 'span', 'key', JSON.stringify(key)), ': ']
    const rest = list ? names : marked ? names.slice(1) : []
    return [index === 0 ? '\n' : ',\n', inner, ...label, ...write(one, rest, inner)]
  })
  return [open, ...lines, `\n${indent}`, close]
}

function show(body, names) {
  answer.replaceChildren(...write(body, ['data', ...names]))
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
    show(body, shows.split('.'))
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
  if (narrow.matches) document.querySelector('main').scrollIntoView()
})

query.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey) return
  event.preventDefault()
  query.form.requestSubmit()
})

document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault()
  ask(query.value.trim())
})

for (const input of document.querySelectorAll('input[name=role]'))
  input.addEventListener('change', () => ask(query.value))

ask(query.value, 'headline')
