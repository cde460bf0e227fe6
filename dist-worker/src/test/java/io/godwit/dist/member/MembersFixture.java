package io.godwit.dist.member;

import static io.godwit.dist.member.MemberWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.slf4j.LoggerFactory;

/** Members that all serve, see {@link MemberWorld}, whose log is off. */
abstract class MembersFixture {
    @BeforeAll
    static void quiet() {
        ((Logger) LoggerFactory.getLogger("io.godwit.dist.member")).setLevel(Level.OFF);
    }

    @AfterAll
    static void loud() {
        ((Logger) LoggerFactory.getLogger("io.godwit.dist.member")).setLevel(null);
    }

    static MemberWorld serving(long seed) {
        return serving(new MemberWorld(seed));
    }

    static MemberWorld serving(MemberWorld world) {
        world.isCalm = true;
        world.runFor(15 * SECOND);
        assertThat(world.newest().serving()).as("seed %d", world.seed).hasSize(4);
        return world;
    }
}
