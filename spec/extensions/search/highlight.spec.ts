import { highlight } from '../../../extensions/search/highlight'
import { readSearchText } from '../../../extensions/search/search-text'

const marked = (text: string, query: string): string | null =>
  highlight(text, readSearchText('sqlite', query).terms)

const shown = (fragment: string | null): string =>
  (fragment ?? '').replaceAll(/<\/?mark>/g, '').replaceAll('&lt;', '<')

describe('the highlights of a search', () => {
  it.each([
    ['Rust and rust', 'rust', '<mark>Rust</mark> and <mark>rust</mark>'],
    ['Rusty', 'rust', '<mark>Rusty</mark>'],
    ['Rusty rust', 'rust old', '<mark>rust</mark>'.replace(/^/, 'Rusty ')],
    ['Crème', 'creme', '<mark>Crème</mark>'],
    ['so old a barn, an old barn', '"old barn"', 'so old a barn, an <mark>old</mark> <mark>barn</mark>'],
    [
      '<b>rust</b> & "x" \'y\'',
      'rust',
      '&lt;b&gt;<mark>rust</mark>&lt;/b&gt; &amp; &quot;x&quot; &#39;y&#39;',
    ],
    ['nothing here', 'rust', null],
  ])('mark words: %s', (text, query, fragment) => {
    expect(marked(text, query)).toBe(fragment)
  })

  it('show at most 160 characters around the first hit', () => {
    const filler = 'word '.repeat(100)
    const fragment = marked(`${filler}rust ${filler}`, 'rust')
    expect(fragment).toMatch(/^…word .*<mark>rust<\/mark> word .*word…$/)
    expect(shown(fragment).length).toBeLessThanOrEqual(160)
    expect(shown(marked(`rust ${filler}`, 'rust'))).toMatch(/^rust word .*word…$/)
    expect(shown(marked(`${filler}rust`, 'rust'))).toMatch(/^…word .* rust$/)
  })

  it('cut a word that is too long', () => {
    const fragment = marked('a'.repeat(500), 'a')
    expect(shown(fragment)).toBe(`${'a'.repeat(158)}…`)
  })

  it('show no hit that lies outside of the fragment', () => {
    const filler = 'word '.repeat(100)
    expect(marked(`rust ${filler}rust`, 'rust')?.match(/<mark>/g)).toHaveLength(1)
  })
})
