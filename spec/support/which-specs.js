const { argv, env } = process

/** Runs of minutes: races, soaks, killed servers, random requests, what is weighed or packed. */
const long = '**/*.long.spec.ts'

/** A file or folder that is named is run whole. */
const isNamed = argv.slice(2).some((word) => /^(\.\/)?spec\b/.test(word))
const isCi = ['true', '1'].includes(env.CI ?? '')

/** Which specs a run has, and what is said of that in its first lines. */
const choices = {
  short: { pattern: [`!${long}`], says: 'the short ones, some minutes; the others: npm run test:long' },
  long: { pattern: ['!**/!(*.long).spec.ts'], says: 'the long ones alone, a quarter of an hour or more' },
  all: { pattern: [], says: isNamed ? 'those that are named' : 'all of them, half an hour or more' },
}

const name = env.SPECS ?? (isCi || isNamed ? 'all' : 'short')
if (!Object.hasOwn(choices, name)) {
  throw new Error(`SPECS knows ${Object.keys(choices).join(', ')}, not ${name}`)
}

module.exports = choices[name]
