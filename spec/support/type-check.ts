import { join } from 'node:path'
import ts from 'typescript'

const options: ts.CompilerOptions = {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.Preserve,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
}

const nameIn = (folder: string): string => join(folder, 'written-by-a-spec.ts')

/** What was read of files on a disk, which stay as they are. */
const known = new Map<string, ts.SourceFile | undefined>()

/** A program of one file that is on no disk, as if it stood in the folder. */
function programOf(
  folder: string,
  text: string,
): { readonly program: ts.Program; readonly source: ts.SourceFile } {
  const file = nameIn(folder)
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true)
  const host = ts.createCompilerHost(options)
  const getSourceFile = host.getSourceFile.bind(host)
  host.fileExists = (name) => name === file || ts.sys.fileExists(name)
  host.getSourceFile = (name, ...how) => {
    if (name === file) return source
    if (!known.has(name)) known.set(name, getSourceFile(name, ...how))
    return known.get(name)
  }
  return { program: ts.createProgram([file], options, host), source }
}

/** What a compiler says of it, each after the line that it is about, with an arrow where it is. */
export function problemsIn(folder: string, text: string): readonly string[] {
  const { program } = programOf(folder, text)
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, '\n')
    if (file === undefined) return message
    const [before, after] = [file.text.slice(0, start), file.text.slice(start)]
    const line = `${before.slice(before.lastIndexOf('\n') + 1)}⟶${after.slice(0, after.indexOf('\n'))}`
    return `${line.slice(0, 300)}\n${message}`
  })
}

/** An editor's own questions to the compiler, about one file that is on no disk. */
function inEditor<T>(folder: string, text: string, ask: (service: ts.LanguageService, file: string) => T): T {
  const file = nameIn(folder)
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const read = name === file ? text : ts.sys.readFile(name)
      return read === undefined ? undefined : ts.ScriptSnapshot.fromString(read)
    },
    getCurrentDirectory: () => folder,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: (name) => (name === file ? text : ts.sys.readFile(name)),
    directoryExists: (name) => ts.sys.directoryExists(name),
    getDirectories: (name) => ts.sys.getDirectories(name),
  })
  try {
    return ask(service, file)
  } finally {
    service.dispose()
  }
}

const withoutMark = (marked: string, mark: string): readonly [text: string, at: number] => {
  const at = marked.lastIndexOf(mark)
  return [marked.slice(0, at) + marked.slice(at + mark.length), at]
}

/** What an editor shows of the name behind the mark, which is taken out. */
export function hoveredAt(folder: string, marked: string, mark: string): string {
  const [text, at] = withoutMark(marked, mark)
  const parts = inEditor(
    folder,
    text,
    (service, file) => service.getQuickInfoAtPosition(file, at)?.displayParts,
  )
  return ts.displayPartsToString(parts).replace(/\s+/g, ' ')
}

/** What an editor offers where the mark stands, which is taken out. */
export function offeredAt(folder: string, marked: string, mark: string): readonly string[] {
  const [text, at] = withoutMark(marked, mark)
  return inEditor(folder, text, (service, file) => {
    const offered = service.getCompletionsAtPosition(file, at, {})
    return offered?.entries.map(({ name }) => name) ?? []
  })
}
