import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { optionRows } from '../support/option-rows'

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'options.md'), 'utf8')

/** Prettier pads cells. */
const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim())

const rowsOf = (lines: readonly string[]): string[][] =>
  lines.filter((line) => line.startsWith('| `')).map(cellsOf)

describe('docs/options.md', () => {
  it('has a row for each option, with the values and the meaning that the option itself tells', () => {
    expect(rowsOf(page.split('\n'))).toEqual(rowsOf(optionRows()))
  })
})
