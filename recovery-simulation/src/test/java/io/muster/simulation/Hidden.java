package io.muster.simulation;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Calls what only a thread of the service calls: one turn of its loop. */
public final class Hidden {

    /** Nobody reads it. */
    public static final MeterRegistry METERS = new SimpleMeterRegistry();

    private Hidden() {}

    public static Method method(Class<?> type, String name, Class<?>... parameters) {
        try {
            Method found = type.getDeclaredMethod(name, parameters);
            found.setAccessible(true);
            return found;
        } catch (NoSuchMethodException gone) {
            throw new IllegalStateException(
                    type.getSimpleName() + "." + name + " is gone: the simulation's shell must follow", gone);
        }
    }

    public static Object call(Method method, Object target, Object... arguments) {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof RuntimeException bug) {
                throw bug;
            }
            if (thrown.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(thrown.getCause());
        } catch (IllegalAccessException never) {
            throw new IllegalStateException(never);
        }
    }
}
