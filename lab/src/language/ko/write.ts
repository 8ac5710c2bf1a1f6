/** Korean texts of the page on which the viewer writes an algorithm. */
import type { write as english } from '../en/write.ts'

export const write: Readonly<Record<keyof typeof english, string>> = {
  'page.write': '작성',
  'write.title': '나만의 알고리즘 작성하기',
  'write.editor': '내 알고리즘(TypeScript)',
  'write.code': '코드',
  'write.run': '실행',
  'write.check': '검사',
  'write.contract': '계약',
  'write.results': '내 알고리즘의 보기',
  'write.start': '시작할 코드…',
  'write.break': '이 줄을 망가뜨려 보기',
  'write.shipped': '제공되는 알고리즘',
  'write.open': '열기',
  'write.file': '알고리즘 파일',
  'write.download': '내려받기',
  'write.share': '링크 복사',
  'write.copied': '링크를 복사했습니다. 코드와 실행 설정이 들어 있습니다.',
  'write.inAddress': '이 페이지의 주소가 이제 코드와 실행 설정을 담은 링크입니다.',
  'write.damaged': '링크의 코드를 읽을 수 없습니다. 링크가 손상되었습니다.',
  'write.runAgain': '다시 실행',
  'write.nodes': '멤버 수',
  'write.seed': '시드',
  'write.crashes': '크래시',
  'write.recoveries': '복구',
  'write.drops': '메시지 손실',
  'write.budget': '최대 횟수',
  'write.line': '{line}행',
  'write.loading': '코드를 불러오는 중…',
  'write.fine': '`{name}`{name:은/는} 계약을 지킵니다. 입력하는 대로 실행됩니다.',
  'write.fromLink':
    '이 코드는 링크로 받은 것입니다. 실행을 누르면 네트워크가 없는 샌드박스에서 실행됩니다.',
  'write.exercise': '이 줄이 망가져 있습니다. {title}: 무슨 일이 일어날지 말해 본 다음 검사하세요.',
  'write.checkLead':
    '검사기는 이 장애 예산이 허용하는 모든 사건 순서를 탐색하고 상태마다 판정합니다.',
  'write.checking': '지금까지 상태 {states}개',
  'write.showRun': '약속을 깨는 실행 보기',
  'write.contractLead':
    '알고리즘이 선언하는 것과 핸들러가 할 수 있는 일입니다. 편집기에서는 입력하는 동안 이름이 완성되고, 이름 위에 포인터를 올리면 설명이 나옵니다.',
  'write.break.weakerClaim': 'Bully: 더 약한 멤버의 주장을 바로 따름',
  'write.break.weakerClaim.why':
    '약한 멤버의 주장은 강한 멤버가 복구되기 전부터 오고 있었을 수 있습니다. 원래 줄은 먼저 현재 리더에 대해 검출기에 묻습니다.',
  'write.break.oldTerm': 'Bully: 오래된 임기를 따름',
  'write.break.oldTerm.why':
    '비교가 없으면 늦게 온 주장이 멤버를 더 작은 임기로 되돌립니다. 그러면 임기로 펜싱하는 쪽이 올바른 리더를 거부합니다.',
  'write.break.secondTimeout': 'Bully: 두 번째 타임아웃이 없음',
  'write.break.secondTimeout.why':
    '응답을 받은 멤버는 코디네이터를 기다립니다. 그 메시지가 사라지거나 보낸 멤버가 크래시하면 두 번째 타임아웃만이 다시 묻게 합니다.',
  'write.break.oneAckTooFew': 'Bully_FD: ack 하나가 모자람',
  'write.break.oneAckTooFew.why':
    '하위 멤버 하나가 멈추지도, 다운으로 보고되지도 않았는데 후보가 리더가 됩니다. 그 멤버는 그 순간 다른 리더를 따르고 있을 수 있습니다.',
  'write.break.noRecheck': 'Bully_FD: 상위 멤버를 마지막으로 다시 묻지 않음',
  'write.break.noRecheck.why':
    '하위 멤버들이 멈춰 있는 동안 상위 멤버가 복구될 수 있습니다. 다시 묻지 않은 후보는 그 옆에서 함께 리더가 됩니다.',
  'write.break.twoVotes': 'Raft: 한 임기에 두 번 투표함',
  'write.break.twoVotes.why':
    '두 과반수는 멤버 하나를 공유합니다. 임기마다 한 번뿐인 그 멤버의 투표가 두 후보의 같은 임기 당선을 막습니다.',
  'write.break.noWatch': 'Ring: 팔로워가 리더를 감시하지 않음',
  'write.break.noWatch.why':
    '아무도 알아채지 못한 크래시는 선거를 시작시키지 않습니다. 멤버들은 다운된 리더를 영원히 따릅니다.',
  'write.problem.syntax': 'TypeScript 문법이 아닙니다: {sentence}',
  'write.problem.import':
    '여기에는 모듈 “{specifier}”{specifier:이/가} 없습니다. 프로그램은 core와 제공되는 알고리즘의 파일을 가져올 수 있습니다.',
  'write.problem.noAlgorithm':
    '프로그램이 알고리즘을 내보내지 않습니다. `export const NAME = algorithm(…)`을 쓰세요.',
  'write.problem.name': '이름 “{name}”{name:은/는} 소문자, 숫자, 하이픈으로 이루어져야 합니다.',
  'write.problem.field':
    '상태에 필드 `{name}`{name:이/가} 없습니다. 모든 상태는 {kind}로 선언합니다.',
  'write.problem.fieldKind': '필드 `{name}`{name:은/는} {kind}이어야 합니다.',
  'write.problem.timerKind':
    '타이머 `{name}`{name:은/는} `period` 또는 `answer(order)`이어야 합니다.',
  'write.problem.promise': '약속 `{name}`{name:은/는} 다음 중 하나여야 합니다: {values}.',
  'write.problem.assumption': '가정 `{name}`{name:은/는} true 또는 false여야 합니다.',
  'write.problem.purpose': '용도에 적힌 `{name}`{name:은/는} 메시지가 아닙니다.',
  'write.problem.handlersFunction': '`handlers`는 그룹을 받는 함수여야 합니다.',
  'write.problem.handlerMissing': '핸들러 `{name}`{name:이/가} 없습니다.',
  'write.problem.handlerUnknown': '핸들러 `{name}`{name:은/는} 없습니다. {closest}를 뜻하나요?',
  'write.problem.timeoutMissing': '타이머는 있지만 핸들러 `timeout`이 없습니다.',
  'write.problem.messageUnknown': '메시지 `{name}`{name:은/는} 없습니다. 선언된 메시지: {names}.',
  'write.problem.messageField': '메시지 `{type}`의 필드가 틀렸거나 빠졌습니다: `{name}`.',
  'write.problem.timerUnknown': '타이머 `{name}`{name:은/는} 없습니다. 선언된 타이머: {names}.',
  'write.problem.drawUnknown': '추첨 `{name}`{name:은/는} 없습니다. `draws`에 적으세요.',
  'write.problem.member': '{value}{value:은/는} 멤버가 아닙니다. 멤버는 1부터 {members}까지입니다.',
  'write.problem.duration': '타이머 `{name}`{name:을/를} {value} ms로 설정할 수 없습니다.',
  'write.problem.fieldUnknown': '상태에 필드 `{name}`{name:이/가} 없습니다.',
  'write.problem.value': '필드 `{name}`의 값으로 {value}{value:은/는} 쓸 수 없습니다.',
  'write.problem.thrown': '코드에서 예외가 발생했습니다: {sentence}',
  'write.problem.silent':
    '코드가 {seconds}초 동안 돌아오지 않아 멈췄습니다. 끝나지 않는 반복이 있나요?',
  'write.problem.broken': '{step}번째 단계가 약속을 깹니다: {sentence}',
}
