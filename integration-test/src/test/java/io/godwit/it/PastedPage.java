package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A page with commands to be pasted: blocks of lines that are indented by four columns, as Markdown has it.
 *
 * @param name from the root of the sources
 * @param blocks in their order, without the indentation
 */
record PastedPage(String name, List<String> blocks) {

    static PastedPage read(String name) throws IOException {
        List<String> blocks = new ArrayList<>();
        StringBuilder block = new StringBuilder();
        for (String line : Files.readAllLines(Path.of(System.getProperty("godwit.root"), name))) {
            assertThat(line).as("blocks of %s are indented", name).doesNotStartWith("```");
            if (line.startsWith("    ")) {
                block.append(line.substring(4)).append('\n');
            } else if (!block.isEmpty()) {
                blocks.add(block.toString());
                block.setLength(0);
            }
        }
        if (!block.isEmpty()) {
            blocks.add(block.toString());
        }
        return new PastedPage(name, List.copyOf(blocks));
    }

    /** The only block that begins so. */
    String block(String beginning) {
        List<String> found = blocks.stream()
                .filter(block -> block.strip().startsWith(beginning))
                .toList();
        assertThat(found).as("blocks of %s that begin with %s", name, beginning).hasSize(1);
        return found.get(0);
    }
}
