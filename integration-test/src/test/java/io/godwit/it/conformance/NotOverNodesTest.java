package io.godwit.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

class NotOverNodesTest {
    /** One that was renamed would run over nodes again, and nobody would know why. */
    @Test
    void whatIsListedIsATestThatRunsOverOtherTransports() {
        assertThat(NotOverNodes.REASONS.keySet()).allSatisfy(listed -> {
            String[] names = listed.split("\\.", 2);
            Class<?> tests = Class.forName(getClass().getPackageName() + '.' + names[0]);
            assertThat(tests).hasAnnotation(OverEachTransport.class);
            assertThat(Arrays.stream(tests.getDeclaredMethods())
                            .filter(method -> method.isAnnotationPresent(Test.class)
                                    || method.isAnnotationPresent(ParameterizedTest.class))
                            .map(Method::getName))
                    .contains(names[1]);
        });
    }
}
