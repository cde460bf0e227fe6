package io.godwit.broker.admin;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Runs commands against an API that answers what a test says. */
abstract class ApiCommandsFixture {
    @TempDir
    Path directory;

    FakeApi api;

    @BeforeEach
    void serve() throws Exception {
        api = new FakeApi(null);
    }

    @AfterEach
    void stop() {
        api.close();
    }

    ApiRun run(String... args) {
        List<String> words = new ArrayList<>(Arrays.asList(args));
        words.addAll(List.of("--url", api.url, "--timeout", "60"));
        return ApiRun.of(words.toArray(String[]::new));
    }
}
