"""Counts of several processes are one sum, and nothing is lost when threads count at once."""

import os
import threading

from app.http.counts import Counts


def test_processes_that_were_forked_count_into_one_sum():
    counts = Counts(["/a", "/b"], processes=2)
    counts.add("/a", 200, 0.02)
    child = os.fork()
    if child == 0:
        counts.count_for(1)
        counts.add("/a", 200, 3.0)
        counts.add_ratings(5)
        os._exit(0)
    os.waitpid(child, 0)

    lines = list(counts.lines())

    assert 'touchstone_requests_total{route="/a",status="200"} 2' in lines
    assert 'touchstone_request_seconds_bucket{route="/a",le="0.025"} 1' in lines
    assert 'touchstone_request_seconds_bucket{route="/a",le="2.5"} 1' in lines
    assert 'touchstone_request_seconds_bucket{route="/a",le="5.0"} 2' in lines
    assert "touchstone_ratings_acknowledged_total 5" in lines
    assert not any("/b" in line for line in lines)


def test_threads_lose_no_count():
    counts = Counts(["/a"])
    threads = [
        threading.Thread(target=lambda: [counts.add("/a", 204, 0.005) for _ in range(500)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 'touchstone_requests_total{route="/a",status="204"} 4000' in list(counts.lines())
    assert 'touchstone_request_seconds_bucket{route="/a",le="0.005"} 4000' in list(counts.lines())


def test_what_nobody_knows_is_counted_all_the_same():
    counts = Counts(['/"a"\\'])
    counts.add("/nowhere", 299, 100)
    counts.add('/"a"\\', 200, 0)

    lines = list(counts.lines())

    assert 'touchstone_requests_total{route="none",status="500"} 1' in lines
    assert r'touchstone_requests_total{route="/\"a\"\\",status="200"} 1' in lines
