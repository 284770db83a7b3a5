// How lodash, which Strapi names columns with, takes a name apart: accents off, a new word at a capital, a digit, and
// what is neither letter nor digit. spec/meaning/schema-files holds it against lodash itself.

/** Letters of Latin-1 and Latin Extended-A that no accent can be taken off. */
const spelled: Readonly<Record<string, string>> = {
  ...{ Æ: 'Ae', æ: 'ae', Ð: 'D', ð: 'd', Ø: 'O', ø: 'o', Þ: 'Th', þ: 'th', ß: 'ss', Đ: 'D', đ: 'd' },
  ...{ Ħ: 'H', ħ: 'h', ı: 'i', Ĳ: 'IJ', ĳ: 'ij', ĸ: 'k', Ŀ: 'L', ŀ: 'l', Ł: 'L', ł: 'l', ŉ: "'n" },
  ...{ Ŋ: 'N', ŋ: 'n', Œ: 'Oe', œ: 'oe', Ŧ: 'T', ŧ: 't', ſ: 's' },
}

const accents = /[\u0300-\u036f\ufe20-\ufe2f\u20d0-\u20ff]/g

const bare = (letter: string): string => spelled[letter] ?? letter.normalize('NFD').replace(accents, '')

/** Letters of other scripts stay as they are, with what hangs on them. */
const withoutAccents = (name: string): string =>
  name.replace(/[\xc0-\xd6\xd8-\xf6\xf8-\u017f]/g, bare).replace(accents, '')

const small = 'a-z'
const capital = 'A-Z'
/** What ends a word and is in none. */
const gap = String.raw`\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\xd7\xf7\u2000-\u206f\s\u180e\u2700-\u27bf\ud800-\udfff`
/** A letter that has no case here: of any other script. */
const other = `^${gap}${small}${capital}\\d`
const gapAhead = `(?=[${gap}]|[${capital}]|$)`

const forms = [
  `[${capital}]?[${small}]+${gapAhead}`,
  `(?:[${capital}]|[${other}])+(?=[${gap}]|[${capital}](?:[${small}]|[${other}])|$)`,
  `[${capital}]?(?:[${small}]|[${other}])+`,
  `[${capital}]+`,
  String.raw`\d*(?:1ST|2ND|3RD|(?![123])\dTH)(?=\b|[a-z_])`,
  String.raw`\d*(?:1st|2nd|3rd|(?![123])\dth)(?=\b|[A-Z_])`,
  String.raw`\d+`,
]
const word = new RegExp(forms.join('|'), 'g')

/** `weightKg2` is weight, kg, 2; an ordinal (`1st`) is one word. */
export const wordsOf = (name: string): readonly string[] =>
  withoutAccents(name).replace(/['’]/g, '').match(word) ?? []
