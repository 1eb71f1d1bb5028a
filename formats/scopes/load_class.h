/*
 * What the address of a load depends on in its innermost loop (Marin & Mellor-Crummey 2004, section
 * 3): whether it can be under way while earlier loads are.
 */
#ifndef FT_FORMATS_SCOPES_LOAD_CLASS_H
#define FT_FORMATS_SCOPES_LOAD_CLASS_H

enum ft_load_class {
    FT_LOADS_NOTHING,    /* it is no load */
    FT_LOAD_INDEPENDENT, /* on no other load of the loop, or there is no loop */
    FT_LOAD_INDIRECT,    /* on other loads, none of which depends on itself */
    FT_LOAD_CALLED,  /* on the result of a call, which may have loaded it, even through a chain */
    FT_LOAD_CHASING, /* on a chain of loads that is carried from iteration to iteration, each load
                        giving the address of the next */
    FT_LOAD_CLASSES
};
extern const char *const ft_load_class_names[FT_LOAD_CLASSES];

#endif
