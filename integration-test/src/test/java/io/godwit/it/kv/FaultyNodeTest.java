package io.godwit.it.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.kv.CheckRun.Result;
import io.godwit.it.kv.CheckRun.Settings;
import io.godwit.it.kv.node.NodeOptions.Fault;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The check finds what it is for: run against a node process that breaks one promise it says so, and of a good one it
 * says nothing. The runs wait more than they work, and do so side by side.
 */
class FaultyNodeTest {
    private static final Logger LOG = LoggerFactory.getLogger(FaultyNodeTest.class);

    @TempDir
    private Path data;

    @Test
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    void aGoodNodeIsNotAccused() throws Exception {
        Result result = run(Fault.NONE);
        assertThat(result.isGood()).withFailMessage(result::summary).isTrue();
    }

    @ParameterizedTest
    @Tag("full")
    @Tag("alone")
    @Execution(ExecutionMode.CONCURRENT)
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"GENUINE", "NONE"})
    void aBrokenPromiseIsFound(Fault fault) throws Exception {
        Result result = run(fault);
        LOG.info("{}: {}", fault, result.summary());
        assertThat(result.verdict().violations()).isNotEmpty();
        assertThat(result.verdict().violations().get(0).core()).hasSizeLessThan(12);
    }

    /** With this seed the first trouble is a kill, and so much time leaves room for one. */
    private Result run(Fault fault) throws Exception {
        return new CheckRun(new Settings(1, 2_000, 8, 8, 1_500, fault, 3), data).run();
    }
}
