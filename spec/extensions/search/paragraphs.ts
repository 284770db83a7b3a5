// Paragraphs of three languages from lists of words, and queries about them. The same seed makes the same texts.

export type Random = (below: number) => number

/** Mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

const listed = (text: string): readonly string[] => text.trim().split(/\s+/)

export const vocabularies: Readonly<Record<string, readonly string[]>> = {
  en: listed(`the and with river mountain bridge stone water light shadow garden window morning evening winter summer
    harbour sailor captain village market baker miller farmer teacher painter letter story answer question number
    silver copper iron steel wooden narrow silent golden ancient distant gentle bitter hollow crooked running walking
    singing falling standing growing house houses horse horses field fields forest forests cloud clouds tower towers
    never always often seldom again beyond beneath between toward café naïve résumé façade cliché fiancée 1984 2026 x2y`),
  de: listed(`der die und mit über Fluss Berg Brücke Stein Wasser Licht Schatten Garten Fenster Morgen Abend Winter
    Sommer Hafen Matrose Kapitän Dorf Markt Bäcker Müller Bauer Lehrer Maler Brief Geschichte Antwort Frage Zahl Silber
    Kupfer Eisen Stahl hölzern schmal still golden uralt entfernt sanft bitter hohl krumm laufend gehend singend
    fallend stehend wachsend Haus Häuser Pferd Pferde Feld Felder Wald Wälder Wolke Wolken Turm Türme niemals immer oft
    selten wieder jenseits unterhalb zwischen Glück Mädchen Vögel Öfen Ärzte grün schön müde 1984 2026`),
  fr: listed(`le la les des avec sur rivière montagne pont pierre eau lumière ombre jardin fenêtre matin soir hiver été
    port marin capitaine village marché boulanger meunier fermier maître peintre lettre récit réponse question nombre
    argent cuivre fer acier étroit silencieux doré ancien lointain doux amer creux tordu courant marchant chantant
    tombant debout grandissant maison maisons cheval chevaux champ champs forêt forêts nuage nuages tour tours jamais
    toujours souvent rarement encore au-delà dessous entre vers garçon leçon façade Noël naïf hôtel île août 1984 2026`),
}

export const locales = Object.keys(vocabularies)

/** Words at the start of a list are frequent, as in texts of people. */
function wordOf(random: Random, words: readonly string[]): string {
  const share = random(1000) / 1000
  return words[Math.floor(share * share * words.length)] ?? ''
}

const separators = [
  ' ',
  ' ',
  ' ',
  ' ',
  ' ',
  ' ',
  ', ',
  ' – ',
  '; ',
  ' (',
  ') ',
  '-',
  '/',
  ': ',
  ' "',
  '" ',
  '… ',
]

function sentence(random: Random, words: readonly string[], length: number): string {
  let made = wordOf(random, words)
  for (let at = 1; at < length; at += 1)
    made += (separators[random(separators.length)] ?? ' ') + wordOf(random, words)
  return `${made.charAt(0).toUpperCase()}${made.slice(1)}`
}

export interface Paragraph {
  readonly id: number
  readonly locale: string
  readonly title: string
  readonly body: string
  readonly level: number
  readonly isDraft: boolean
}

export function paragraphs(seed: number, count: number): readonly Paragraph[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, (_, at) => {
    const locale = locales[random(locales.length)] ?? 'en'
    const words = vocabularies[locale] ?? []
    const sentences = Array.from({ length: 1 + random(4) }, () => sentence(random, words, 3 + random(12)))
    return {
      ...{ id: at + 1, locale, level: random(5), isDraft: random(10) === 0 },
      title: sentence(random, words, 1 + random(5)),
      body: `${sentences.join('. ')}.`,
    }
  })
}

const plainWords = /[\p{L}\p{N}]+/gu

/** Consecutive words of a text. */
function partOf(random: Random, text: string, length: number): string {
  const words = text.match(plainWords) ?? []
  const from = random(Math.max(1, words.length - length))
  return words.slice(from, from + length).join(' ')
}

function spelled(random: Random, word: string): string {
  const way = random(5)
  if (way === 0) return word.toUpperCase()
  return way === 1 ? word.normalize('NFD').replace(/\p{M}/gu, '') : word
}

/** A query about the words of one of the paragraphs, in the syntax of `_q`. */
export function randomQuery(random: Random, texts: readonly Paragraph[]): string {
  const { locale, title, body } = texts[random(texts.length)] ?? { locale: 'en', title: '', body: '' }
  const words = vocabularies[locale] ?? []
  const parts = Array.from({ length: 1 + random(3) }, () => {
    const way = random(10)
    if (way === 0) return `"${partOf(random, random(2) === 0 ? title : body, 2 + random(2))}"`
    if (way === 1) return `-${wordOf(random, words)}`
    if (way === 2) return `-"${partOf(random, body, 2)}"`
    return spelled(random, random(3) === 0 ? wordOf(random, words) : partOf(random, body, 1))
  })
  const last = parts.at(-1) ?? ''
  const isCut = /^\p{L}{5,}$/u.test(last) && random(2) === 0
  return [...parts.slice(0, -1), isCut ? last.slice(0, 3 + random(2)) : last].join(' ')
}
