export interface Bar {
  readonly label: string
  readonly value: number
  /** The value as text, at the end of the bar. */
  readonly text: string
  /** Minimum and maximum over the rounds, drawn as a thin line. */
  readonly range?: { readonly min: number; readonly max: number } | undefined
  readonly tone: Tone
}

export interface BarGroup {
  readonly title: string
  readonly bars: readonly Bar[]
}

export interface BarChart {
  /** Distinguishes the ids of charts that stand in one document. */
  readonly name: string
  readonly title: string
  /** The unit, and which direction is better. */
  readonly note: string
  readonly groups: readonly BarGroup[]
  /** A value to compare all bars with. */
  readonly reference?: { readonly value: number; readonly label: string } | undefined
}

/** Blue, orange and grey differ for all kinds of color blindness. */
export const tones = ['blue', 'orange', 'grey'] as const
export type Tone = (typeof tones)[number]

interface Palette extends Readonly<Record<Tone, string>> {
  readonly ground: string
  readonly frame: string
  readonly text: string
}

export const palettes: Readonly<Record<'light' | 'dark', Palette>> = {
  light: {
    ...{ ground: '#ffffff', frame: '#d0d7de', text: '#1f2328' },
    ...{ blue: '#0969da', orange: '#bc4c00', grey: '#57606a' },
  },
  dark: {
    ...{ ground: '#161b22', frame: '#3d444d', text: '#e6edf3' },
    ...{ blue: '#58a6ff', orange: '#f0883e', grey: '#b1bac4' },
  },
}

const width = 520
const padding = 16
const barHeight = 12
const rowHeight = 19
const groupHeight = 26
const headHeight = 62
const referenceHeight = 18
const footHeight = 20

/** A bar longer than this many times the next group is cut, so that the others can be read. */
const cutFactor = 3

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const round = (value: number): string => String(Math.round(value * 10) / 10)

/** An estimate: the font is that of the reader. */
const textWidth = (text: string): number => text.length * 7.5

const colorsOf = (palette: Palette): string =>
  [
    `.ground{fill:${palette.ground};stroke:${palette.frame}}`,
    `text{fill:${palette.text};stroke:${palette.ground}}`,
    `.line{stroke:${palette.text}}`,
    `.cut{stroke:${palette.ground}}`,
    ...tones.map((tone) => `.${tone}{fill:${palette[tone]}}`),
  ].join('')

const style = [
  // A halo keeps texts readable on the line of the reference.
  `text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;paint-order:stroke;stroke-width:4px}`,
  `.title{font-size:16px;font-weight:600}.group{font-weight:600}`,
  `.line{stroke-width:1}.dashed{stroke-dasharray:3 3}.cut{stroke-width:3}`,
  colorsOf(palettes.light),
  `@media (prefers-color-scheme:dark){${colorsOf(palettes.dark)}}`,
].join('\n')

const highest = ({ value, range }: Bar): number => Math.max(value, range?.max ?? 0)

/** The value at the right end of the plot. */
export function scaleEndOf(groups: readonly BarGroup[]): number {
  const [first = 0, second = first] = groups
    .flatMap(({ bars }) => bars.map(highest))
    .sort((one, other) => other - one)
  return first > cutFactor * second ? 1.25 * second : first
}

interface Scale {
  readonly left: number
  readonly perUnit: number
  /** The value at the right end: longer bars are cut. */
  readonly end: number
}

function scaleOf(groups: readonly BarGroup[]): Scale {
  const bars = groups.flatMap((group) => group.bars)
  const left = padding + 8 + Math.max(...bars.map(({ label }) => textWidth(label)))
  const room = width - padding - left - 6 - Math.max(...bars.map(({ text }) => textWidth(text)))
  const end = scaleEndOf(groups)
  return { left, end, perUnit: room / end }
}

/** Shapes and texts of a chart: all texts are drawn last, above the line of the reference. */
interface Drawing {
  readonly shapes: string[]
  readonly texts: string[]
}

function drawBar({ shapes, texts }: Drawing, bar: Bar, top: number, { left, perUnit, end }: Scale): void {
  const { label, value, text, range, tone } = bar
  const isCut = value > end
  const length = Math.min(value, end) * perUnit
  const place = `x="${round(left)}" y="${round(top)}" width="${round(length)}" height="${round(barHeight)}"`
  shapes.push(`<rect class="${tone}" ${place}/>`)
  if (isCut)
    shapes.push(
      `<path class="cut" d="M${round(left + length - 18)} ${round(top + barHeight + 1)}l6 -${round(barHeight + 2)}"/>`,
    )
  else if (range !== undefined)
    shapes.push(
      `<path class="line" d="M${round(left + range.min * perUnit)} ${round(top + barHeight / 2)}H${round(left + range.max * perUnit)}"/>`,
    )
  const baseline = round(top + 10.5)
  const after = left + Math.min(end, highest(bar)) * perUnit + 6
  texts.push(
    `<text x="${round(left - 8)}" y="${baseline}" text-anchor="end">${escape(label)}</text>`,
    `<text x="${round(after)}" y="${baseline}">${escape(text)}</text>`,
  )
}

/** Draws a line at the value, over the groups between two heights. */
function drawReference({ shapes, texts }: Drawing, chart: BarChart, top: number, bottom: number): void {
  const { reference, groups } = chart
  if (reference === undefined) return
  const { left, perUnit } = scaleOf(groups)
  const x = round(left + reference.value * perUnit)
  shapes.push(`<path class="line dashed" d="M${x} ${round(top)}V${round(bottom)}"/>`)
  texts.push(`<text x="${x}" y="${round(top - 5)}" text-anchor="middle">${escape(reference.label)}</text>`)
}

/** The lines below the bars. */
function remarksOf({ groups }: BarChart): readonly string[] {
  const bars = groups.flatMap((group) => group.bars)
  const end = scaleEndOf(groups)
  return [
    ...(bars.some(({ range }) => range !== undefined)
      ? ['Thin lines: minimum and maximum of the rounds']
      : []),
    ...(bars.some(({ value }) => value > end) ? ['A slash marks a bar that is cut: it is longer'] : []),
  ]
}

/** All figures as text, for readers who do not see the bars. */
function describe({ note, groups, reference }: BarChart): string {
  const figures = groups.map(
    ({ title, bars }) => `${title}: ${bars.map(({ label, text }) => `${label} ${text}`).join(', ')}.`,
  )
  const line = reference === undefined ? [] : [`A line marks ${round(reference.value)}: ${reference.label}.`]
  return [`${note}.`, ...figures, ...line].join(' ')
}

export function renderBarChart(chart: BarChart): string {
  const { name, title, note, groups, reference } = chart
  const scale = scaleOf(groups)
  const first = headHeight + (reference === undefined ? 0 : referenceHeight)
  const drawing: Drawing = { shapes: [], texts: [] }
  let top = first
  for (const group of groups) {
    drawing.texts.push(
      `<text class="group" x="${round(padding)}" y="${round(top + 15)}">${escape(group.title)}</text>`,
    )
    top += groupHeight
    for (const bar of group.bars) {
      drawBar(drawing, bar, top, scale)
      top += rowHeight
    }
  }
  drawReference(drawing, chart, first, top)
  for (const remark of remarksOf(chart)) {
    top += footHeight
    drawing.texts.push(`<text x="${round(padding)}" y="${round(top)}">${escape(remark)}</text>`)
  }
  const height = top + padding
  const size = `width="${round(width)}" height="${round(height)}" viewBox="0 0 ${round(width)} ${round(height)}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-labelledby="${name}-title ${name}-desc">
<title id="${name}-title">${escape(title)}</title>
<desc id="${name}-desc">${escape(describe(chart))}</desc>
<style>
${style}
</style>
<rect class="ground" x="0.5" y="0.5" width="${round(width - 1)}" height="${round(height - 1)}" rx="6"/>
<text class="title" x="${round(padding)}" y="28">${escape(title)}</text>
<text x="${round(padding)}" y="50">${escape(note)}</text>
${[...drawing.shapes, ...drawing.texts].join('\n')}
</svg>
`
}
