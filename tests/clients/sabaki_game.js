// Two GTP engines play a whole game through @sabaki/gtp, in strict turns as a graphical board does: every answer of one
// is told to the other. usage: node sabaki_game.js PATH-OF-THE-PACKAGE SIZE ENGINE ARGUMENTS...
const [path, size, program, ...words] = process.argv.slice(2)
const {Controller} = require(path)

async function ask(engine, name, ...args) {
  const response = await engine.sendCommand({name, args})
  if (response.error) throw new Error(`${name} ${args.join(' ')}: ${response.content}`)
  return response.content
}

async function main() {
  const engines = {B: new Controller(program, words), W: new Controller(program, words)}
  const moves = []
  for (const engine of Object.values(engines)) {
    engine.start()
    const commands = (await ask(engine, 'list_commands')).split('\n')
    if (!commands.includes('genmove')) throw new Error('genmove is not listed')
    await ask(engine, 'boardsize', size)
    await ask(engine, 'clear_board')
  }
  const infos = []
  await engines.B.sendCommand({name: 'lz-genmove_analyze', args: ['B', '10']}, ({line}) => infos.push(line))
  await ask(engines.B, 'undo')
  for (let colour = 'B', passes = 0; passes < 2; colour = colour === 'B' ? 'W' : 'B') {
    const move = await ask(engines[colour], 'genmove', colour)
    moves.push(`${colour} ${move}`)
    if (move === 'resign') break
    passes = move === 'pass' ? passes + 1 : 0
    await ask(engines[colour === 'B' ? 'W' : 'B'], 'play', colour, move)
  }
  const scores = [await ask(engines.B, 'final_score'), await ask(engines.W, 'final_score')]
  for (const engine of Object.values(engines)) await engine.stop()
  console.log(JSON.stringify({moves, scores, analysed: infos.some(line => line.includes('info move'))}))
}

main().catch(error => {
  console.error(String(error))
  process.exit(1)
})
