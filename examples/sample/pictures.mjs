import { createHash } from 'node:crypto'

const palettes = [
  { sky: '#f6e3c5', far: '#e0a872', near: '#9c4f3b', ground: '#4c2f35', light: '#fff6e2' },
  { sky: '#cfe3ea', far: '#86aab9', near: '#3d6b80', ground: '#1f3a4a', light: '#fdf3d8' },
  { sky: '#e6dcec', far: '#a78bb5', near: '#5f4a78', ground: '#30254a', light: '#ffe9c7' },
  { sky: '#dfe8d3', far: '#9db58a', near: '#557a5b', ground: '#2a4638', light: '#fff8da' },
  { sky: '#22304f', far: '#33476f', near: '#16203a', ground: '#0b1122', light: '#ffd98a' },
]

const skins = ['#f2d3b3', '#c98d62', '#8a5a3c', '#e8bf96']

/** Numbers from 0 to 1, always the same for the same name: a picture must not change between two requests. */
function numbersFor(name) {
  const bytes = createHash('sha512').update(name).digest()
  let next = 0
  return () => bytes[next++ % bytes.length] / 255
}

const rectangle = (x, y, width, height, fill) =>
  `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" fill="${fill}"/>`

function skyline(number, { near, far, light }) {
  const houses = []
  for (const [fill, base, lit] of [
    [far, 430, false],
    [near, 520, true],
  ]) {
    for (let x = -20; x < 1220;) {
      const width = 50 + number() * 80
      const height = 110 + number() * 190
      houses.push(rectangle(x, base - height + 120, width, height + 300, fill))
      if (number() > 0.6) {
        const top = base - height + 120
        houses.push(
          `<path d="M${x} ${top} l${width / 2} -${30 + number() * 40} l${width / 2} ${30 + number() * 40}z" fill="${fill}"/>`,
        )
      }
      if (lit)
        for (let row = 0; row < 4; row++)
          if (number() > 0.45)
            houses.push(rectangle(x + width * 0.3, base - height + 150 + row * 44, 12, 18, light))
      x += width + 3
    }
  }
  return houses.join('')
}

function hills(number, { far, near }) {
  const hill = (base, height, fill) => {
    const peaks = Array.from(
      { length: 5 },
      (_, index) =>
        `${index * 300 + 150} ${base - number() * height} ${index * 300 + 300} ${base - number() * 60}`,
    )
    return `<path d="M0 ${base} Q ${peaks.join(' Q ')} V 800 H 0 z" fill="${fill}"/>`
  }
  return hill(470, 300, far) + hill(560, 200, near)
}

const stairs = ({ near, ground, light }) =>
  Array.from({ length: 11 }, (_, step) => {
    const width = 1100 - step * 78
    return (
      rectangle(600 - width / 2, 760 - step * 44, width, 44, step % 2 ? near : ground) +
      rectangle(600 - width / 2, 760 - step * 44, width, 4, light)
    )
  }).join('')

function water(number, { ground, light }) {
  const waves = Array.from(
    { length: 18 },
    () =>
      `<path d="M${number() * 1150} ${585 + number() * 200} h${30 + number() * 120}" stroke="${light}" stroke-width="3" opacity="${0.15 + number() * 0.4}"/>`,
  )
  return rectangle(0, 560, 1200, 240, ground) + waves.join('')
}

const rain = (number, { light }) =>
  Array.from(
    { length: 60 },
    () =>
      `<path d="M${number() * 1200} ${number() * 780} l-9 34" stroke="${light}" stroke-width="2" opacity=".45"/>`,
  ).join('')

const bridges = ({ far, near, ground }) =>
  [near, ground, far]
    .map(
      (fill, index) =>
        `<path d="M${index * 400 - 60} 620 q260 -${190 + index * 24} 520 0 h-70 q-190 -${130 + index * 20} -380 0z" fill="${fill}"/>`,
    )
    .join('')

function scene(name) {
  const number = numbersFor(name)
  const night = /night|fog/.test(name)
  const palette = palettes[night ? 4 : Math.floor(number() * 4)]
  const parts = [
    rectangle(0, 0, 1200, 800, palette.sky),
    `<circle cx="${200 + number() * 800}" cy="${120 + number() * 130}" r="${54 + number() * 50}" fill="${palette.light}"/>`,
  ]
  parts.push(/calanque|fog|planty/.test(name) ? hills(number, palette) : skyline(number, palette))
  if (/stairs|lanes/.test(name)) parts.push(stairs(palette))
  if (/river|canal|port|mole|bridges|calanque/.test(name)) parts.push(water(number, palette))
  if (/bridges/.test(name)) parts.push(bridges(palette))
  if (/mole/.test(name)) parts.push(`<path d="M520 800 L585 560 h30 L680 800z" fill="${palette.light}"/>`)
  if (/rain/.test(name)) parts.push(rain(number, palette))
  return parts.join('')
}

function portrait(name) {
  const number = numbersFor(name)
  const { sky, far, near, ground } = palettes[Math.floor(number() * 4)]
  const skin = skins[Math.floor(number() * 3.99)]
  const hair = 150 + number() * 40
  return `${rectangle(0, 0, 800, 800, sky)}<circle cx="400" cy="420" r="330" fill="${far}"/><path d="M120 800 q40 -260 280 -260 t280 260z" fill="${near}"/><rect x="350" y="440" width="100" height="130" fill="${skin}"/><ellipse cx="400" cy="350" rx="${hair}" ry="${hair + 20}" fill="${ground}"/><ellipse cx="400" cy="380" rx="118" ry="145" fill="${skin}"/>`
}

function map(name) {
  const number = numbersFor(name)
  const { far, near, ground } = palettes[Math.floor(number() * 4)]
  const streets = Array.from(
    { length: 13 },
    (_, index) =>
      `<path d="M${index * 100} 0 l${number() * 160 - 80} 800 M0 ${index * 66} l1200 ${number() * 120 - 60}" stroke="#fff" stroke-width="${4 + number() * 10}" fill="none"/>`,
  )
  const points = Array.from({ length: 6 }, (_, index) => [130 + index * 180, 150 + number() * 480])
  const route = `<polyline points="${points.join(' ')}" fill="none" stroke="${ground}" stroke-width="12" stroke-dasharray="26 16" stroke-linejoin="round"/>`
  const pins = points.map(
    ([x, y]) => `<circle cx="${x}" cy="${y}" r="19" fill="${near}" stroke="#fff" stroke-width="6"/>`,
  )
  return `${rectangle(0, 0, 1200, 800, '#efe9dc')}<path d="M0 ${520 + number() * 120} q300 -120 620 10 t580 -60 v330 h-1200z" fill="${far}" opacity=".6"/>${streets.join('')}${route}${pins.join('')}`
}

function cover(name) {
  const palette = palettes[Number(name.match(/\d+/)?.[0] ?? 0) % 4]
  const text = (y, size, words) =>
    `<text x="60" y="${y}" font-family="Georgia, serif" font-size="${size}" fill="${palette.ground}">${words}</text>`
  return `${rectangle(0, 0, 800, 800, palette.sky)}<g transform="translate(0 180) scale(.6667 .78)">${stairs(palette)}</g>${text(110, 82, 'The Long Way')}${text(180, 46, `№ ${name.match(/\d+/)?.[0] ?? ''}`)}`
}

const isSquare = (name) => /^(portrait|cover)-/.test(name)

function draw(name) {
  if (name.startsWith('portrait-')) return portrait(name)
  if (name.startsWith('cover-')) return cover(name)
  return name.startsWith('map-') ? map(name) : scene(name)
}

const longestSides = { thumbnail: 245, small: 500, medium: 750 }

/** The picture for a file below /uploads, or null: `lisbon-stairs.svg`, `thumbnail_lisbon-stairs.svg`. */
export function pictureFor(fileName) {
  const [, format, name] = /^(?:(thumbnail|small|medium)_)?([a-z0-9-]+)\.svg$/.exec(fileName) ?? []
  if (name === undefined) return null
  const [width, height] = isSquare(name) ? [800, 800] : [1200, 800]
  const scale = format === undefined ? 1 : longestSides[format] / width
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.round(width * scale)}" height="${Math.round(height * scale)}" viewBox="0 0 ${width} ${height}">${draw(name)}</svg>`
}

const kilobytes = (text) => Math.round(Buffer.byteLength(text) / 10) / 100

/** A file of the content with what Strapi's upload would have added to it. */
export function withFormats(file) {
  const hash = file.name.replace(/\.svg$/, '')
  const common = { ext: '.svg', mime: 'image/svg+xml' }
  const formats = Object.entries(longestSides).map(([format, width]) => {
    const name = `${format}_${file.name}`
    const height = Math.round((width * file.height) / file.width)
    return [
      format,
      {
        name,
        hash: `${format}_${hash}`,
        ...common,
        path: null,
        url: `/uploads/${name}`,
        width,
        height,
        size: kilobytes(pictureFor(name)),
      },
    ]
  })
  return {
    ...file,
    hash,
    ...common,
    url: `/uploads/${file.name}`,
    size: kilobytes(pictureFor(file.name)),
    formats: Object.fromEntries(formats),
  }
}
