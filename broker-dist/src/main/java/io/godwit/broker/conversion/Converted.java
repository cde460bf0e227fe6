package io.godwit.broker.conversion;

import java.util.List;
import java.util.Map;

/**
 * What a file of another broker has become.
 *
 * @param yaml the configuration file
 * @param besides other files that it names, by their names, which lie beside it
 * @param notes in the order of the lines
 */
public record Converted(String yaml, Map<String, String> besides, List<Note> notes) {
    public Converted {
        besides = Map.copyOf(besides);
        notes = List.copyOf(notes);
    }

    /** Whether all of it is there, and nothing is left to do. */
    public boolean isWhole() {
        return notes.stream()
                .allMatch(note -> note.outcome() == Note.Outcome.TAKEN || note.outcome() == Note.Outcome.CHANGED);
    }
}
