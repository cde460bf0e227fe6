package io.godwit.broker.conversion;

import java.util.List;
import java.util.Map;

/**
 * The result of converting another broker's file.
 *
 * @param yaml the configuration file
 * @param besides further files that it refers to, in the same directory, by name
 * @param notes in the order of the lines
 */
public record Converted(String yaml, Map<String, String> besides, List<Note> notes) {
    public Converted {
        besides = Map.copyOf(besides);
        notes = List.copyOf(notes);
    }

    /** Whether everything was converted, and nothing is left to do. */
    public boolean isWhole() {
        return notes.stream()
                .allMatch(note -> note.outcome() == Note.Outcome.TAKEN || note.outcome() == Note.Outcome.CHANGED);
    }
}
