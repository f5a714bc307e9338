// Two threads add to the same number.
import Glibc

nonisolated(unsafe) var number = 0
var threads = [pthread_t](repeating: 0, count: 2)
for index in threads.indices {
  _ = pthread_create(
    &threads[index], nil,
    { _ in
      for _ in 0..<1_000 { number += 1 }
      usleep(1_000)
      return nil
    }, nil)
}
for thread in threads { _ = pthread_join(thread, nil) }
print(number)
