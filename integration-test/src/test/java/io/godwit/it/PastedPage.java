package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.testing.DocumentPage;
import io.godwit.testing.DocumentPage.Block;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A page with commands to be pasted.
 *
 * @param name from the root of the sources
 * @param blocks in their order, without the indentation of code and without Java
 */
record PastedPage(String name, List<String> blocks) {
    private static final String PROMPT = "$ ";

    static PastedPage read(String name) throws IOException {
        List<Block> blocks = DocumentPage.read(name).blocks().stream()
                .filter(block -> !block.language().equals("java")) // nobody pastes it into a shell
                .toList();
        assertThat(blocks)
                .as("blocks of %s are indented", name)
                .allMatch(block -> block.language().isEmpty());
        return new PastedPage(name, blocks.stream().map(Block::text).toList());
    }

    /** The only block that begins so. */
    String block(String beginning) {
        List<String> found = blocks.stream()
                .filter(block -> block.strip().startsWith(beginning))
                .toList();
        assertThat(found).as("blocks of %s that begin with %s", name, beginning).hasSize(1);
        return found.get(0);
    }

    /** Of such a block, the lines behind prompts, without the output between them. */
    String prompted(String beginning) {
        return block(beginning)
                .lines()
                .filter(line -> line.startsWith(PROMPT))
                .map(line -> line.substring(PROMPT.length()) + "\n")
                .collect(Collectors.joining());
    }
}
