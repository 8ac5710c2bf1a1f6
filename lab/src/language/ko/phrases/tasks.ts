/** Maps English names of faults and marks, remarks on counterexamples, and what a challenge says about a run, to Korean. */
import type { Phrases } from '../../translate.ts'

export const TASKS: Phrases = {
  'The run breaks no such promise.': '이 실행은 그 약속을 깨지 않습니다.',
  'No member ever leads.': '어느 멤버도 리더가 되지 않습니다.',
  'There is never more than one leader.': '리더가 둘 이상인 순간이 없습니다.',
  'Members {list} lead at the same moment.': '멤버 {list}{list:이/가} 같은 순간에 이끕니다.',
  'The longest time without a leader, with {up} members up, is {time}.':
    '멤버 {up}개가 살아 있으면서 리더가 없던 가장 긴 시간은 {time}입니다.',
  'The end is undecided: {why}.': '끝을 판정할 수 없습니다: {why}.',
  'In the end the members do not agree.': '끝에 멤버들이 합의하지 않습니다.',
  'In the end all follow {leader}.': '끝에 모두 {leader}{leader:을/를} 따릅니다.',
  'The run needs {count} election messages.': '이 실행에는 선거 메시지 {count}개가 듭니다.',
  'The highest term is {term}.': '가장 큰 임기는 {term}입니다.',
  'Leaders: {list}.': '리더: {list}.',
  'This challenge allows no {fault}.': '이 과제에서는 {fault}{fault:을/를} 쓸 수 없습니다.',
  'This challenge allows {most} × {fault}; the run has {count}.':
    '이 과제에서는 {fault}{fault:을/를} {most}번 쓸 수 있는데 실행에는 {count}번 있습니다.',
  'This challenge has {key} {value}; the run has another.':
    '이 과제의 {key}{key:은/는} {value}인데 실행은 다릅니다.',
  'as usual': '기본값',
  '{remark}. The checker found no shorter counterexample. Step back to see the cause.':
    '{remark}. 검사기가 찾은 더 짧은 반례는 없습니다. 원인을 보려면 뒤로 가세요.',
  'Agreement breaks here: any two up members that follow a leader follow the same one':
    '여기서 합의가 깨집니다: 리더를 따르는 살아 있는 두 멤버는 같은 리더를 따른다',
  'Broken: when faults cease, all up members follow one of them, for ever; nothing more happens':
    '깨짐: 장애가 멎으면 살아 있는 모든 멤버가 그중 하나를 영원히 따른다. 더는 아무 일도 일어나지 않습니다',
  'Broken: when faults cease, all up members follow the strongest of them, for ever; nothing more happens':
    '깨짐: 장애가 멎으면 살아 있는 모든 멤버가 그중 가장 강한 멤버를 영원히 따른다. 더는 아무 일도 일어나지 않습니다',
  crash: '크래시',
  recover: '복구',
  pause: '일시 정지',
  resign: '사임',
  heal: '복원',
  slow: '감속',
  delay: '지연',
  discard: '폐기',
  repeat: '중복',
  drop: '폐기',
  agreement: '합의',
  'highest leads': '가장 강한 멤버가 리더',
  leads: '리더가 됨',
  recovers: '복구',
  'loses its state': '상태를 잃음',
  pauses: '일시 정지',
  resumes: '재개',
  resigns: '사임',
  'is to be added': '추가 요청',
  'is to be promoted': '승격 요청',
  'is to be removed': '제거 요청',
  'cannot write': '쓰기 불가',
  leaves: '떠남',
  'is no longer slow': '정상 속도',
  'cuts heal': '모두 복원',
  starts: '시작',
}
