package io.godwit.it.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The messages of some topics that a subscriber was given, by their numbers, which ascend in the order of publishing;
 * one publisher and one QoS for each topic. Thread-safe.
 */
final class Numbers {
    private final Map<String, List<Integer>> given = new HashMap<>();
    private final Map<String, Set<Integer>> seen = new HashMap<>();

    synchronized void add(String topic, int number) {
        given.computeIfAbsent(topic, key -> new ArrayList<>()).add(number);
        seen.computeIfAbsent(topic, key -> new HashSet<>()).add(number);
    }

    synchronized boolean hasAll(String topic, Set<Integer> numbers) {
        return seen.getOrDefault(topic, Set.of()).containsAll(numbers);
    }

    /**
     * What is wrong with it; empty when all is well.
     *
     * @param acknowledged to the publisher
     */
    synchronized List<String> wrong(String topic, int qos, Set<Integer> acknowledged) {
        List<String> wrong = new ArrayList<>();
        Set<Integer> lost = new HashSet<>(acknowledged);
        lost.removeAll(seen.getOrDefault(topic, Set.of()));
        if (!lost.isEmpty()) {
            wrong.add(
                    topic + ": acknowledged and lost: " + lost.stream().sorted().toList());
        }
        Set<Integer> before = new HashSet<>();
        int greatest = -1;
        for (int number : given.getOrDefault(topic, List.of())) {
            if (!before.add(number)) {
                if (qos == 2) {
                    wrong.add(topic + ": twice: " + number);
                }
            } else if (number < greatest) {
                wrong.add(topic + ": " + number + " behind " + greatest);
            }
            greatest = Math.max(greatest, number);
        }
        return wrong;
    }
}
