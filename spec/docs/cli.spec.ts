import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandNames, flagsOf } from '../../tools/command/help'
import { options } from '../../tools/command/parse-words'

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'reference', 'cli.md'), 'utf8')

interface WrittenFlag {
  readonly name: string
  readonly takesValue: boolean
}

/** The flags of a section's table. */
function flagsIn(heading: string): readonly WrittenFlag[] {
  const [, section = ''] = page.split(new RegExp(`^## ${heading}$`, 'm'))
  const [text = ''] = section.split(/^## /m)
  return [...text.matchAll(/^\| (`-.*?`) +\|/gm)].map(([, cell = '']) => ({
    name: /--([\w-]+)/.exec(cell)?.[1] ?? cell,
    takesValue: /<\w+>/.test(cell),
  }))
}

const namesIn = (heading: string): readonly string[] => flagsIn(heading).map(({ name }) => name)
const common = namesIn('Flags of all commands')
const owned: readonly string[] = commandNames.flatMap(flagsOf)

describe('docs/reference/cli.md', () => {
  it('has a section for each command, and no other command', () => {
    const commands = [...page.matchAll(/^\| `(\w[\w-]*)` +\|/gm)].map(([, name]) => name)
    expect(commands.toSorted()).toEqual(commandNames.toSorted())
    const sections = [...page.matchAll(/^## (.*)$/gm)].map(([, name]) => name)
    expect(sections.toSorted()).toEqual(['Flags of all commands', ...commands].toSorted())
  })

  it('lists the flags of all commands', () => {
    const rest = Object.keys(options).filter((name) => !owned.includes(name))
    expect(common.toSorted()).toEqual(rest.toSorted())
  })

  it.each(commandNames)('lists the flags of %s', (command) => {
    const names = namesIn(command).filter((name) => !common.includes(name))
    expect(names.toSorted()).toEqual(flagsOf(command).toSorted())
  })

  it('shows a value for the flags that take one', () => {
    const written = ['Flags of all commands', ...commandNames].flatMap(flagsIn)
    const isString = ({ name }: WrittenFlag): boolean =>
      options[name as keyof typeof options].type === 'string'
    expect(written.filter((flag) => flag.takesValue !== isString(flag))).toEqual([])
    expect(written.length).toBeGreaterThan(20)
  })
})
